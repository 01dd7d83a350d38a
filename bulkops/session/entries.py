"""From elements as they were sent to what is written, beside what is stored; and every error (contract E1, B1)."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from bulkops.session.errors import Errors
from bulkops.session.items import Envelope, Item, Operation, clear, operation_at, value_at
from bulkops.session.patches import Patch, named_failures, read_patch, too_long
from bulkops.writers.disk_lists import DiskList
from bulkops.writers.writer import Entry
from dimensions_site.api.errors import Failure
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.json.texts import exact_json
from dimensions_site.elements.declaration.context import ElementContext
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.lookup import with_ids, with_primary_keys
from dimensions_site.elements.reading.rendering import Stored, full_renderer
from dimensions_site.elements.rest.pointers import failures_of
from dimensions_site.elements.writing.decoding import Row, RowDecoder
from dimensions_site.elements.writing.raw_element import RawElement
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened

# How many elements are read together, and looked up if necessary.
BATCH = 1_000
# The same when stored elements are read, or what was sent is on disk: this many of the largest take 50 MB.
STORED_BATCH = 200
# Errors that the stored element may excuse: one from before the limit existed may stay as it is (contract C20).
_EXCUSABLE = frozenset({"TOO_LARGE", "INVALID_CHARACTER", "SAME_LANGUAGE"})
# An element that does not exist might have what is missing.
_MISSING = frozenset({"REQUIRED", "BLANK"})


@dataclass(slots=True)
class _Sent:
    """An element at a position, at a JSON Pointer, and what is wrong with it; `is_faulty` if that is known already."""

    operation: Operation
    position: int
    pointer: str
    item: Item
    is_faulty: bool
    failures: list[Failure] = field(default_factory=list)


class EntryReader:
    """Reads elements into entries for a writer of `decoder.columns`; adds the failures to `errors`.

    Elements that have errors already are checked, and give entries without values.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        decoder: RowDecoder,
        envelope: Envelope,
        errors: Errors,
    ) -> None:
        self._model = dimension.model
        self._wire = dimension.wire
        self._repository = repository
        self._operations = envelope.operations
        self._progress = envelope.progress
        self._errors = errors
        self._decoder = decoder
        self._renderer = full_renderer(dimension, repository.default_language)
        self._unique = {column: decoder.columns.index(column) for column in dimension.model.unique_in_repository}
        # The positions in `merge` of the elements that depend on what is stored, as far as it is known yet.
        self._incomplete: array[int] = array("q")

    def independent(self, operation: Operation) -> Iterator[Iterable[Entry]]:
        """Yield the entries that do not depend on what is stored, batch by batch; nothing is locked.

        Those of `post` and `put` are read without a query within a batch. Of a `merge` they are the elements with all
        members: they are replaced, if no stored map has further entries (contract K1).
        """
        if operation.name in ("post", "put"):
            yield from self._whole_ones(operation)
        elif operation.name == "merge" and not operation.is_partial:
            for batch in self._batches(operation, _size(operation)):
                existing = self._existing(batch)
                yield self._entries(self._complete(sent, _of(sent, existing)) for sent in batch)

    def dependent(self, operation: Operation) -> Iterator[Iterable[Entry]]:
        """Yield the other entries, batch by batch; locks the elements, as all bulk writers do.

        Call it for an operation after `independent`.
        """
        if operation.name == "patch":
            for batch in self._batches(operation, STORED_BATCH):
                patches = [read_patch(sent.item.text, sent.pointer) for sent in batch]
                stored = self._stored((patch.id for patch in patches), locked=True)
                yield self._entries(
                    self._patched(sent, patch, stored.get(patch.id or ""))
                    for sent, patch in zip(batch, patches, strict=True)
                )
        elif operation.name == "merge":
            positions = range(operation.first, operation.end) if operation.is_partial else self._incomplete
            for start in range(0, len(positions), STORED_BATCH):
                self._progress(positions[start])
                yield self.again(operation, positions[start : start + STORED_BATCH])

    def again(self, operation: Operation, positions: Sequence[int]) -> list[Entry]:
        """Return the entries of `put` or `merge` at `positions`, read beside what is stored by now; at most
        `STORED_BATCH`.
        """
        is_merge = operation.name == "merge"
        batch = self._readable(operation, ((each, operation.elements[each - operation.first]) for each in positions))
        ids = [_peek(sent.item.text) for sent in batch]
        stored = self._stored(ids, locked=is_merge)
        found = map(stored.get, map(str, ids))
        read = self._merged if is_merge else self._replaced
        entries = (
            self._whole(sent) if one is None else read(sent, one) for sent, one in zip(batch, found, strict=True)
        )
        return list(self._entries(entries))

    def _whole_ones(self, operation: Operation) -> Iterator[Iterable[Entry]]:
        for batch in self._batches(operation, _size(operation)):
            existing = self._existing(batch) if operation.name == "put" else {}
            doubtful: list[int] = []
            yield self._entries(self._whole(sent, _of(sent, existing), doubtful=doubtful) for sent in batch)
            for start in range(0, len(doubtful), STORED_BATCH):
                yield self.again(operation, doubtful[start : start + STORED_BATCH])

    def _batches(self, operation: Operation, size: int) -> Iterator[list[_Sent]]:
        """Yield the elements in batches of at most this `size`."""
        elements = enumerate(operation.elements, operation.first)
        while batch := list(islice(elements, size)):
            self._progress(batch[0][0])
            yield self._readable(operation, batch)

    def _readable(
        self, operation: Operation, elements: Iterable[tuple[int, msgspec.Raw | bytes | Item]]
    ) -> list[_Sent]:
        """Return those of the `elements`, with their positions, that can be read; of the others, add the errors."""
        batch: list[_Sent] = []
        for position, element in elements:
            item = element if isinstance(element, Item) else Item(element)
            if not item.is_checkable:
                continue
            pointer = operation.pointer(position)
            failure = too_long(item.text, pointer)
            if failure is None:
                batch.append(_Sent(operation, position, pointer, item, position in self._errors.positions))
            else:
                self._add(position, [failure])
        return batch

    @staticmethod
    def _entries(entries: Iterable[Entry | None]) -> Iterator[Entry]:
        return (entry for entry in entries if entry is not None)

    def _existing(self, batch: Sequence[_Sent]) -> dict[str, Element]:
        """Return the stored elements with the ids in the `batch`, if their declaration needs more than the id."""
        if len(self._unique) == 1:
            return {}
        found = with_ids(self._model, self._repository, (_peek(sent.item.text) for sent in batch))
        return {element.element_id: element for element in found.only(*self._unique)}

    def _stored(self, ids: Iterable[object], *, locked: bool) -> Mapping[str, Stored]:
        """Return the stored elements with one of `ids`, by their ids.

        If `locked`, they are locked until the transaction ends, in the order of their ids, as by all bulk writers.
        """
        found = with_ids(self._model, self._repository, ids).order_by("element_id").only(*self._unique)
        elements: list[Element] = list(found.select_for_update(no_key=True) if locked else found)
        # None that another writer has created since.
        same = with_primary_keys(self._model, [element.pk for element in elements]).order_by("element_id")
        texts = self._renderer.each(same)
        return {element.element_id: Stored(element, text) for element, text in zip(elements, texts, strict=True)}

    def _complete(self, sent: _Sent, existing: Element | None) -> Entry | None:
        """Return the entry of an element with all members; None if it depends on what is stored, or has errors."""
        values = self._decoder.fast_complete(bytes(sent.item.text), self._context(existing))
        if values is None:
            self._incomplete.append(sent.position)
            return None
        return self._entry(sent, values[self._unique["element_id"]], existing, values)

    def _whole(
        self,
        sent: _Sent,
        existing: Element | None = None,
        stored: str | None = None,
        doubtful: list[int] | None = None,
    ) -> Entry | None:
        """Return the entry of an element that is created, or replaces the `existing` one, whose JSON is `stored`; None
        for one without an id, and for one that was added to `doubtful`.
        """
        text, must_be_new = sent.item.text, sent.operation.name in ("post", "merge")
        self._settle(sent, None)
        if sent.operation.must_exist and existing is None and isinstance(id := _peek(text), str):
            message = _("The element '{id}' does not exist, so it cannot be updated.").format(id=shortened(id))
            sent.failures.append(self._not_found(sent, message, id))
        known = len(sent.failures)
        try:
            context = self._context(existing, stored)
            values = self._values(sent, text, lambda element: self._decoder.whole(element, context))
        except JsonError as error:
            self._add(sent.position, named_failures(error.failures, _peek(text)), error.failure_count)
            return None
        if values is not None:
            id = values[self._unique["element_id"]]
            return self._entry(sent, id, existing, values, must_be_new=must_be_new)
        if doubtful is not None and sent.operation.name == "put" and _EXCUSABLE & {one.code for one in sent.failures}:
            doubtful.append(sent.position)
            return None
        is_wrong = any(failure.path == self._place("element_id", sent.position) for failure in sent.failures[known:])
        id = None if is_wrong else _peek(text)
        return self._entry(sent, id if isinstance(id, str) else None, existing, None, must_be_new=must_be_new)

    def _replaced(self, sent: _Sent, stored: Stored) -> Entry | None:
        return self._whole(sent, stored.element, stored.text)

    def _merged(self, sent: _Sent, stored: Stored) -> Entry | None:
        """Return the entry of the `stored` element after the changes."""
        item, beneath = self._settle(sent, stored.text), stored.text
        if item.cleared:
            element = msgspec.json.decode(beneath)
            for segments in item.cleared:
                clear(element, segments)
            beneath = msgspec.json.encode(element).decode()
        return self._changed(sent, stored.element.element_id, bytes(item.text), stored, beneath)

    def _patched(self, sent: _Sent, patch: Patch, stored: Stored | None) -> Entry | None:
        if patch.id is None:
            self._add(sent.position, patch.failures, patch.failure_count)
            return None
        if stored is None:
            message = f"The element '{shortened(patch.id)}' does not exist, so it cannot be patched."
            sent.failures.append(self._not_found(sent, message, patch.id))
        return self._changed(sent, patch.id, patch.data, stored, "{}" if stored is None else stored.text)

    def _changed(self, sent: _Sent, id: str, changes: bytes, stored: Stored | None, beneath: str) -> Entry | None:
        """Return the entry of the element with the `id`: the `changes` on top of the JSON `beneath`."""
        element, text = (None, None) if stored is None else (stored.element, stored.text)
        context = self._context(element, text)._replace(id=None if element is None else id)
        values: Row | None = None
        try:
            values = self._values(sent, changes, lambda patch: self._decoder.changed(beneath, patch, context), id)
        except JsonError as error:
            self._add(sent.position, named_failures(error.failures, id), error.failure_count)
        return self._entry(sent, id, element, values)

    def _values(
        self, sent: _Sent, text: msgspec.Raw | bytes, decode: Callable[[RawElement], Row], id: str | None = None
    ) -> Row | None:
        """Return what `decode` makes of the `text`; None if it has errors, which are added to what was `sent`.

        Raises `JsonError`.
        """
        pointer = sent.operation.pointer_of_data(sent.position)
        raw = RawElement(bytes(text), path=pointer, join=json_pointer)
        try:
            return decode(raw)
        except ValidationError as error:
            without = _MISSING if sent.failures else ()
            sent.failures += failures_of(error, raw.value, self._wire, pointer, id or _peek(text), without)
            return None

    def _context(self, existing: Element | None, stored: str | None = None) -> ElementContext:
        return ElementContext(self._repository.default_language, existing, None, stored)

    def _settle(self, sent: _Sent, stored: str | None) -> Item:
        """Return the item without the members that may say what the JSON `stored` says already; add the failures of its
        other doubts.
        """
        item = sent.item
        if not item.doubts:
            return item
        current = None if stored is None else msgspec.json.decode(stored)
        settled = [doubt for doubt in item.doubts if value_at(current, doubt.segments) in doubt.readings]
        id = shortened(str(_peek(item.text)))
        for doubt in item.doubts:
            if doubt.failure is not None and doubt not in settled:
                path = reduce(json_pointer, doubt.segments, sent.pointer)
                sent.failures.append(replace(doubt.failure, path=path, id=id))
        if not settled:
            return item
        changes = read_json(bytes(item.text))
        for doubt in settled:
            clear(changes, doubt.segments)
        said = [doubt.segments for doubt in settled]
        return Item(exact_json(changes), [segments for segments in item.cleared if segments not in said])

    def _entry(
        self,
        sent: _Sent,
        id: str | None,
        existing: Element | None,
        values: Sequence[Any] | None,
        *,
        must_be_new: bool = False,
    ) -> Entry | None:
        """Return the entry for the element with this `id`; None if it has no id of its own."""
        position = sent.position
        unique = {"element_id": id} if values is None else {name: values[at] for name, at in self._unique.items()}
        for column, value in unique.items():
            if value is None or (existing is not None and column != "element_id"):
                continue  # other unique values stay as stored, and the writer knows what is stored
            first = self._errors.first_position(column, value, position)
            if first is None or first == position:
                continue
            if not sent.is_faulty:
                name = self._model.unique_in_repository[column]
                place = self._place(column, first)
                message = f"The {name} '{shortened(value)}' is at {place} already; it must appear only once."
                shown_id = None if id is None else shortened(id)
                sent.failures.append(Failure(self._place(column, position), "REPEATED", message, shown_id))
            if not sent.is_faulty or column == "element_id":
                id = None
        if sent.failures or sent.is_faulty:
            self._add(position, sent.failures)
            values = None
        is_new = must_be_new and (values is not None or sent.operation.name == "post")
        return None if id is None else Entry(position, is_new, id, values)

    def place_of(self, id: str) -> str | None:
        """Return the JSON Pointer of the `id` in what was read so far; None if it is not there."""
        position = self._errors.first_position("element_id", id)
        return None if position is None else self._place("element_id", position)

    def _not_found(self, sent: _Sent, message: str, id: str) -> Failure:
        return Failure(self._place("element_id", sent.position), "ELEMENT_NOT_FOUND", message, shortened(id))

    def _place(self, column: str, position: int) -> str:
        operation = operation_at(self._operations, position)
        is_key = column == "element_id" and operation.name == "patch"
        return f"{operation.pointer(position)}/{'key/id' if is_key else self._model.unique_in_repository[column]}"

    def _add(self, position: int, failures: Sequence[Failure], count: int | None = None) -> None:
        self._errors.add(position, [self._errors.placed(failure) for failure in failures], count)


def _size(operation: Operation) -> int:
    return STORED_BATCH if isinstance(operation.elements, DiskList) else BATCH


class _Named(msgspec.Struct):
    """Only the id of an element."""

    id: Any = None


_named = msgspec.json.Decoder(_Named)


def _peek(text: msgspec.Raw | bytes) -> Any:
    """Return the id in an element, if it can be one."""
    try:
        return _named.decode(text).id
    except (msgspec.MsgspecError, RecursionError):
        return None


def _of(sent: _Sent, existing: Mapping[str, Element]) -> Element | None:
    """Return the existing element with the id that was sent."""
    return existing.get(str(_peek(sent.item.text))) if existing else None
