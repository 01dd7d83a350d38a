"""The second half of an import: convert each row to an entry to write, given what is stored (contract C14, C15)."""

import copy
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from bulkops.files.columns import Segments, clear
from bulkops.files.formats.rows import RowFailure
from bulkops.files.imports.options import Mode, Options
from bulkops.files.imports.reading import FileReader, Record
from bulkops.files.understanding import Doubt
from bulkops.writers.entries import Change, Entry, EntryMaker
from bulkops.writers.errors import Errors
from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.json.patches import merged
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import Stored
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.repositories.models import Repository
from dimensions_site.text.shortening import shortened

_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(slots=True)
class _Row(Change):
    """A row of the file and the element `stored` under its id, whose JSON has `derived` members."""

    record: Record
    stored: Stored | None
    derived: Sequence[str]
    replaces: bool

    def fast(self, decoder: RowDecoder) -> Sequence[Any] | None:
        try:
            if self.stored is None or self.replaces:
                return decoder.fast(_encode(self.record.changes), None if self.stored is None else self.stored.element)
            return decoder.fast(self._changed_text(self.stored), self.stored.element)
        except OverflowError:
            return None  # an integer of more than 64 bits

    def exact(self, decoder: RowDecoder) -> Sequence[Any]:
        if self.stored is None:
            return decoder.exact(self.record.changes)
        if self.replaces:
            return decoder.exact(self.record.changes, self.stored.element, stored=self.stored.text)
        current = msgspec.json.decode(self.stored.text)
        for segments in self.record.cleared:
            clear(current, segments)
        return decoder.exact_patch(current, self.record.changes, self.stored.element, self.stored.text)

    def failures(self, error: ValidationError) -> Sequence[Failure]:
        return flatten(error.detail)

    def _changed_text(self, stored: Stored) -> bytes:
        """Return the JSON of the stored element after the row's changes."""
        members: dict[str, Any] = _decode_members(stored.text)
        for name in self.derived:
            del members[name]
        # Only changed members are built.
        changed = {*self.record.changes, *(segments[0] for segments in self.record.cleared)}
        members |= {name: msgspec.json.decode(members[name]) for name in changed & members.keys()}
        for segments in self.record.cleared:
            clear(members, segments)
        return _encode(merged(members, self.record.changes))


class RecordReader:
    """Converts the records of a `file` to entries for a writer of `decoder.columns`; adds failures to `errors`.

    `file` names fields as its columns do.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        decoder: RowDecoder,
        options: Options,
        file: FileReader,
        errors: Errors[RowFailure],
    ) -> None:
        self._maker = EntryMaker(dimension, repository, decoder)
        self._mode = options.mode
        self._replaces = options.replaces
        self._file = file
        self._errors = errors
        # Members of the JSON that are derived from others.
        self._derived = [path for path, place in dimension.wire.places.items() if place.is_default_description]

    def entries(self, records: Mapping[int, Record], invalid: Container[int]) -> list[Entry]:
        """Return the entries for `records` by position; those at the positions `invalid` already have an error.

        Stored elements with their ids are locked. A row without an id gives no entry.
        """
        ids = [] if self._mode is Mode.CREATE else [record.id for record in records.values()]
        stored = self._maker.stored(ids, locked=True)
        entries: list[Entry] = []
        for position, record in records.items():
            if not record.is_readable:
                continue
            found = None if record.id is None else stored.get(record.id)
            values = self._values(position, record, found)
            if record.id is not None and not record.is_repeated:
                values = None if position in invalid else values
                # In the other modes, too, an element that did not exist must not exist when it is written.
                must_be_new = self._mode is Mode.CREATE or (found is None and values is not None)
                entries.append(Entry(position, must_be_new, record.id, values))
        return entries

    def _values(self, position: int, record: Record, stored: Stored | None) -> Sequence[Any] | None:
        """Return the values for the record, or None if it has an error."""
        record, doubts = _settled(record, stored)
        failures = [doubt.failure for doubt in doubts if doubt.failure is not None]
        if stored is None and record.id is not None and self._mode is Mode.UPDATE:
            message = _("The element '{id}' does not exist, so it cannot be updated.").format(id=shortened(record.id))
            failures.append(Failure("id", "ELEMENT_NOT_FOUND", message))
        values = self._maker.values(_Row(record, stored, self._derived, self._replaces), failures)
        for failure in failures:
            self._errors.add(position, [RowFailure(record.line, self._placed(failure, record.id))])
        return None if failures else values

    def _placed(self, failure: Failure, id: str | None) -> Failure:
        """Return the failure with the field's name in the file."""
        return Failure(
            self._file.place_of(failure.path), failure.code, failure.message, None if id is None else shortened(id)
        )


def _settled(record: Record, stored: Stored | None) -> tuple[Record, Sequence[Doubt]]:
    """Return the record without the cells that may say what is `stored` already, and the doubts that remain."""
    if stored is None or not record.doubts:
        return record, record.doubts
    current = msgspec.json.decode(stored.text)
    settled = [doubt for doubt in record.doubts if _value_at(current, doubt.segments) in doubt.readings]
    changes = copy.deepcopy(record.changes)
    for doubt in settled:
        clear(changes, doubt.segments)
    cleared = [segments for segments in record.cleared if all(segments != doubt.segments for doubt in settled)]
    remaining = [doubt for doubt in record.doubts if doubt not in settled]
    return record._replace(changes=changes, cleared=cleared), remaining


def _value_at(data: Any, segments: Segments) -> Any:
    """Return the value at `segments` of the wire JSON `data`; None if there is none."""
    for name in segments:
        data = data.get(name) if isinstance(data, dict) else None
    return data
