"""The second half of an import: each row becomes what is to be written, beside what is stored (contract C14, C15)."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from bulkops.columns import clear
from bulkops.imports.faults import RowFaults
from bulkops.imports.options import Mode
from bulkops.imports.reading import FileReader, Record
from bulkops.stored import locked
from bulkops.writers.entry import Entry
from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.problems import shortened
from dimensions_site.elements.answers import Stored
from dimensions_site.elements.decoding import RowDecoder
from dimensions_site.elements.models import Element
from dimensions_site.elements.rendering import full_renderer
from dimensions_site.elements.serializers import merged
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

# What is missing in a row could be there in an element that is not.
_MISSING = frozenset({"REQUIRED", "BLANK"})

_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class EntryMaker:
    """Makes entries for a writer of `decoder.columns` from the records of one file; adds their faults to `faults`.

    `file` tells what fields are called in it.
    """

    def __init__(
        self,
        model: type[Element],
        wire: Wire,
        repository: Repository,
        decoder: RowDecoder,
        mode: Mode,
        file: FileReader,
        faults: RowFaults,
    ) -> None:
        self._model = model
        self._repository = repository
        self._decoder = decoder
        self._mode = mode
        self._file = file
        self._faults = faults
        self._renderer = full_renderer(wire, repository.default_language)
        # Members of the JSON that are told from others.
        self._derived = [path for path, place in wire.places.items() if place.is_default_description]

    def entries(self, records: Mapping[int, Record], faulty: Container[int]) -> list[Entry]:
        """The entries for `records` by position; those at the positions `faulty` have a fault already.

        What is stored under their ids is locked. A row without an id of its own gives no entry.
        """
        looks = self._mode is not Mode.CREATE
        ids = [id for record in records.values() if (id := record.id) is not None and "\0" not in id] if looks else []
        stored = locked(self._model, self._repository, self._renderer, ids)
        entries: list[Entry] = []
        for position, record in records.items():
            if not record.is_readable:
                continue
            found = None if record.id is None else stored.get(record.id)
            values = self._values(position, record, found)
            if record.id is not None and not record.is_repeated:
                values = None if position in faulty else values
                # In the other modes an element that was not there must not be there when it is written, either.
                must_be_new = self._mode is Mode.CREATE or (found is None and values is not None)
                entries.append(Entry(position, must_be_new, record.id, values))
        return entries

    def _values(self, position: int, record: Record, stored: Stored | None) -> Sequence[Any] | None:
        """The values for the record, or None when it has a fault."""
        failures: list[Failure] = []
        if stored is None and record.id is not None and self._mode is Mode.UPDATE:
            message = _("There is no element with the id '{id}' to update.").format(id=shortened(record.id))
            failures.append(Failure("id", "ELEMENT_NOT_FOUND", message))
        values = self._fast(record, stored)
        if values is None:
            try:
                values = self._exact(record, stored)
            except ValidationError as error:
                found = flatten(error.detail)
                failures += [failure for failure in found if not failures or failure.code not in _MISSING]
        for failure in failures:
            self._faults.add(position, record.line, self._placed(failure, record.id))
        return None if failures else values

    def _fast(self, record: Record, stored: Stored | None) -> Sequence[Any] | None:
        try:
            if stored is None:
                return self._decoder.fast(_encode(record.changes))
            return self._decoder.fast(self._changed_text(record, stored), stored.element)
        except OverflowError:
            return None  # an integer of more than 64 bits

    def _changed_text(self, record: Record, stored: Stored) -> bytes:
        """The JSON of the stored element after the changes of the record."""
        members: dict[str, Any] = _decode_members(stored.text)
        for name in self._derived:
            del members[name]
        # Only members that are changed are built.
        changed = {*record.changes, *(segments[0] for segments in record.cleared)}
        members |= {name: msgspec.json.decode(members[name]) for name in changed & members.keys()}
        for segments in record.cleared:
            clear(members, segments)
        return _encode(merged(members, record.changes))

    def _exact(self, record: Record, stored: Stored | None) -> Sequence[Any]:
        """The values for the record. Raises `ValidationError` with all of its faults."""
        if stored is None:
            return self._decoder.exact(record.changes)
        current = msgspec.json.decode(stored.text)
        for segments in record.cleared:
            clear(current, segments)
        return self._decoder.exact_patch(current, record.changes, stored.element)

    def _placed(self, failure: Failure, id: str | None) -> Failure:
        """The failure by the name that its field has in the file."""
        return Failure(
            self._file.place_of(failure.path), failure.code, failure.message, None if id is None else shortened(id)
        )
