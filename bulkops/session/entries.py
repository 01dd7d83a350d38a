"""From elements as they were sent to what is written, beside what is stored; and every error (contract E1, B1)."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import islice, repeat
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from bulkops.session.disk_lists import DiskList
from bulkops.session.errors import Errors
from bulkops.session.items import Envelope, Item, Operation, Sent, clear, operation_at, value_at
from bulkops.session.patches import Patch, named_failures, read_patch, too_long
from bulkops.session.writer import Entry
from dimensions_site.api.errors import Failure
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.json.texts import exact_json
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.lookup import with_ids, with_primary_keys
from dimensions_site.elements.reading.rendering import full_renderer
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
    """An element at a position, and what is wrong with it; `is_faulty` if that is known already."""

    operation: Operation
    position: int
    item: Item
    is_faulty: bool
    failures: list[Failure] = field(default_factory=list)

    @property
    def pointer(self) -> str:
        return self.operation.pointer(self.position)

    @property
    def id(self) -> Any:
        """The id in the element, which may be anything; None if it cannot be read."""
        try:
            return _named.decode(self.item.text).id
        except (msgspec.MsgspecError, RecursionError):
            return None


class _Named(msgspec.Struct):
    id: Any = None


_named = msgspec.json.Decoder(_Named)


class EntryReader:
    """Reads elements into entries for a writer of `decoder.columns`; adds the failures to `errors`.

    Elements that have errors already are checked, and give entries without values.
    """

    def __init__(
        self, dimension: Dimension, repository: Repository, decoder: RowDecoder, envelope: Envelope, errors: Errors
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
        # That of an element beside which nothing is stored.
        self._new = ElementContext(repository.default_language)
        # The positions in `merge` of the elements that depend on what is stored, as far as it is known yet.
        self._incomplete: array[int] = array("q")

    def independent(self, operation: Operation) -> Iterator[Iterable[Entry | None]]:
        """Yield the entries that do not depend on what is stored, batch by batch; nothing is locked.

        Those of `post` and `put` are read without a query within a batch. Of a `merge` they are the elements with all
        members: they are replaced, if no stored map has further entries (contract K1).
        """
        if operation.name == "patch" or (operation.name == "merge" and operation.is_partial):
            return
        doubtful: list[int] = []
        read: Callable[[_Sent, ElementContext], Entry | None] = self._whole
        if operation.name != "post":
            read = self._complete if operation.name == "merge" else partial(self._whole, doubtful=doubtful)
        size = STORED_BATCH if isinstance(operation.elements, DiskList) else BATCH
        for batch in self._batches(operation, size):
            yield map(read, batch, self._contexts(operation, batch))
            for start in range(0, len(doubtful), STORED_BATCH):
                yield self.again(operation, doubtful[start : start + STORED_BATCH])
            doubtful.clear()

    def dependent(self, operation: Operation) -> Iterator[Iterable[Entry | None]]:
        """Yield the other entries, batch by batch; locks the elements, as all bulk writers do.

        Call it for an operation after `independent`.
        """
        if operation.name == "patch":
            for batch in self._batches(operation, STORED_BATCH):
                patches = [read_patch(sent.item.text, sent.pointer) for sent in batch]
                stored = self._stored((patch.id for patch in patches), locked=True)
                yield (
                    self._patched(sent, patch, stored.get(patch.id or "", self._new))
                    for sent, patch in zip(batch, patches, strict=True)
                )
        elif operation.name == "merge":
            positions = range(operation.first, operation.end) if operation.is_partial else self._incomplete
            for start in range(0, len(positions), STORED_BATCH):
                self._progress(positions[start])
                yield self.again(operation, positions[start : start + STORED_BATCH])

    def again(self, operation: Operation, positions: Sequence[int]) -> list[Entry | None]:
        """Return the entries of `put` or `merge` at `positions`, read beside what is stored by now; at most
        `STORED_BATCH`.
        """
        is_merge = operation.name == "merge"
        batch = self._readable(operation, ((each, operation.elements[each - operation.first]) for each in positions))
        ids = [sent.id for sent in batch]
        stored = self._stored(ids, locked=is_merge)
        contexts = (stored.get(str(id), self._new) for id in ids)
        return [
            self._merged(sent, context) if is_merge and context.existing else self._whole(sent, context)
            for sent, context in zip(batch, contexts, strict=True)
        ]

    def _batches(self, operation: Operation, size: int) -> Iterator[list[_Sent]]:
        elements = enumerate(operation.elements, operation.first)
        while batch := list(islice(elements, size)):
            self._progress(batch[0][0])
            yield self._readable(operation, batch)

    def _readable(self, operation: Operation, elements: Iterable[tuple[int, Sent]]) -> list[_Sent]:
        """Return those of the `elements`, with their positions, that can be read; of the others, add the errors."""
        batch: list[_Sent] = []
        for position, element in elements:
            item = element if isinstance(element, Item) else Item(element)
            if not item.is_checkable:
                continue
            failure = too_long(item.text, operation.pointer(position))
            if failure is None:
                batch.append(_Sent(operation, position, item, position in self._errors.positions))
            else:
                self._add(position, [failure])
        return batch

    def _contexts(self, operation: Operation, batch: Sequence[_Sent]) -> Iterable[ElementContext]:
        """Return the context of each element in the `batch`: the stored one, if its declaration needs more than the
        id.
        """
        if operation.name == "post" or len(self._unique) == 1:
            return repeat(self._new)
        ids = [sent.id for sent in batch]
        stored = {each.element_id: each for each in with_ids(self._model, self._repository, ids).only(*self._unique)}
        return [self._new._replace(existing=stored.get(str(id))) for id in ids]

    def _stored(self, ids: Iterable[object], *, locked: bool) -> dict[str, ElementContext]:
        """Return the stored elements with one of `ids` and their JSON, by their ids.

        If `locked`, they are locked until the transaction ends, in the order of their ids, as by all bulk writers.
        """
        rows = with_ids(self._model, self._repository, ids).order_by("element_id").only(*self._unique)
        elements: list[Element] = list(rows.select_for_update(no_key=True) if locked else rows)
        # None that another writer has created since.
        same = with_primary_keys(self._model, self._repository, [element.pk for element in elements]).order_by(
            "element_id"
        )
        texts = self._renderer.each(same)
        return {
            element.element_id: self._new._replace(existing=element, stored=text)
            for element, text in zip(elements, texts, strict=True)
        }

    def _complete(self, sent: _Sent, context: ElementContext) -> Entry | None:
        """Return the entry of an element with all members; None if it depends on what is stored, or has errors."""
        values = self._decoder.fast_complete(bytes(sent.item.text), context)
        if values is None:
            self._incomplete.append(sent.position)
            return None
        return self._entry(sent, values[self._unique["element_id"]], context, values)

    def _whole(self, sent: _Sent, context: ElementContext, *, doubtful: list[int] | None = None) -> Entry | None:
        """Return the entry of an element that is created, or replaces the existing one of the `context`; None for one
        without an id, and for one that was added to `doubtful`.
        """
        self._settle(sent, None)
        id = sent.id if sent.operation.must_exist else None
        if isinstance(id, str) and context.existing is None:
            message = _("'{id}' does not exist, so it cannot be updated.").format(id=shortened(id))
            sent.failures.append(self._not_found(sent, message, id))
        known = len(sent.failures)
        try:
            values = self._values(sent, sent.item.text, lambda element: self._decoder.whole(element, context))
        except JsonError as error:
            self._add(sent.position, named_failures(error.failures, sent.id), error.failure_count)
            return None
        if values is None and doubtful is not None and _EXCUSABLE & {failure.code for failure in sent.failures}:
            doubtful.append(sent.position)
            return None
        if values is not None:
            id = values[self._unique["element_id"]]
        elif any(failure.path == self.place("element_id", sent.position) for failure in sent.failures[known:]):
            id = None
        else:
            id = sent.id if isinstance(sent.id, str) else None
        return self._entry(sent, id, context, values, must_be_new=sent.operation.name in ("post", "merge"))

    def _merged(self, sent: _Sent, context: ElementContext) -> Entry | None:
        """Return the entry of the stored element of the `context` after the changes."""
        item, beneath = self._settle(sent, context.stored), context.stored or ""
        if item.cleared:
            element = msgspec.json.decode(beneath)
            for segments in item.cleared:
                clear(element, segments)
            beneath = msgspec.json.encode(element).decode()
        return self._changed(sent, context.existing.element_id, bytes(item.text), context, beneath)

    def _patched(self, sent: _Sent, patch: Patch, context: ElementContext) -> Entry | None:
        if patch.id is None:
            self._add(sent.position, patch.failures, patch.failure_count)
            return None
        if context.existing is None:
            message = f"The element '{shortened(patch.id)}' does not exist, so it cannot be patched."
            sent.failures.append(self._not_found(sent, message, patch.id))
        return self._changed(sent, patch.id, patch.data, context, context.stored or "{}")

    def _changed(self, sent: _Sent, id: str, changes: bytes, context: ElementContext, beneath: str) -> Entry | None:
        """Return the entry of the element with the `id`: the `changes` on top of the JSON `beneath`."""
        context = context._replace(id=None if context.existing is None else id)
        values: Row | None = None
        try:
            values = self._values(sent, changes, lambda patch: self._decoder.changed(beneath, patch, context), id)
        except JsonError as error:
            self._add(sent.position, named_failures(error.failures, id), error.failure_count)
        return self._entry(sent, id, context, values)

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
            sent.failures += failures_of(error, raw.value, self._wire, pointer, id or sent.id, without)
            return None

    def _settle(self, sent: _Sent, stored: str | None) -> Item:
        """Return the item without the members that may say what the JSON `stored` says already; add the failures of its
        other doubts.
        """
        item = sent.item
        if not item.doubts:
            return item
        current = None if stored is None else msgspec.json.decode(stored)
        settled = [doubt for doubt in item.doubts if value_at(current, doubt.segments) in doubt.readings]
        for doubt in item.doubts:
            if doubt.failure is not None and doubt not in settled:
                path = reduce(json_pointer, doubt.segments, sent.pointer)
                sent.failures.append(replace(doubt.failure, path=path, id=shortened(str(sent.id))))
        if not settled:
            return item
        changes = read_json(bytes(item.text))
        for doubt in settled:
            clear(changes, doubt.segments)
        said = [doubt.segments for doubt in settled]
        return Item(exact_json(changes), [segments for segments in item.cleared if segments not in said])

    def _entry(
        self, sent: _Sent, id: str | None, context: ElementContext, values: Row | None, *, must_be_new: bool = False
    ) -> Entry | None:
        """Return the entry for the element with this `id`; None if it has no id of its own."""
        position = sent.position
        unique = {"element_id": id} if values is None else {name: values[at] for name, at in self._unique.items()}
        for column, value in unique.items():
            if value is None or (context.existing is not None and column != "element_id"):
                continue  # other unique values stay as stored, and the writer knows what is stored
            first = self._errors.first_position(column, value, position)
            if first is None or first == position:
                continue
            if not sent.is_faulty:
                name = self._model.unique_in_repository[column]
                place = self.place(column, first)
                message = f"The {name} '{shortened(value)}' is at {place} already; it must appear only once."
                shown_id = None if id is None else shortened(id)
                sent.failures.append(Failure(self.place(column, position), "REPEATED", message, shown_id))
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
        return None if position is None else self.place("element_id", position)

    def _not_found(self, sent: _Sent, message: str, id: str) -> Failure:
        return Failure(self.place("element_id", sent.position), "ELEMENT_NOT_FOUND", message, shortened(id))

    def place(self, column: str, position: int) -> str:
        operation = operation_at(self._operations, position)
        is_key = column == "element_id" and operation.name == "patch"
        return f"{operation.pointer(position)}/{'key/id' if is_key else self._model.unique_in_repository[column]}"

    def _add(self, position: int, failures: Sequence[Failure], count: int | None = None) -> None:
        self._errors.add(position, [self._errors.placed(failure) for failure in failures], count)
