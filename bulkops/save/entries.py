"""The elements of a bulk body, read one by one: what is to be written, and every error (contract E1, B1)."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice
from typing import Any

import msgspec
from rest_framework.exceptions import ValidationError

from bulkops.save.envelope import Operation
from bulkops.save.patches import Patch, named_failures, read_patch, too_long
from bulkops.writers.entries import Change, Entry, EntryMaker
from bulkops.writers.errors import Errors
from dimensions_site.api.errors import Failure
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.rendering import Stored
from dimensions_site.elements.rest.pointers import failures_of
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.elements.writing.raw_element import RawElement
from dimensions_site.repositories.models import Repository
from dimensions_site.text.shortening import shortened

# How many elements are read together, and looked up if necessary.
BATCH = 1_000
# The same when stored elements are read: this many of the largest take 50 MB.
STORED_BATCH = 200
# Errors that the stored element may excuse: one from before the limit existed may stay as it is (contract C20).
_EXCUSABLE = frozenset({"TOO_LARGE", "INVALID_CHARACTER", "SAME_LANGUAGE"})


@dataclass(slots=True)
class _Whole(Change):
    """An element of `post` or `put` at `pointer`, and the `existing` element with its id.

    `stored` is the JSON of that one, if known.
    """

    wire: Wire
    pointer: str
    text: msgspec.Raw
    existing: Element | None
    stored: str | None
    data: Any = field(default=None, init=False)

    @property
    def id(self) -> object:
        """Return the id that was sent; call `exact` first."""
        return self.data.get("id") if isinstance(self.data, dict) else None

    def fast(self, decoder: RowDecoder) -> Sequence[Any] | None:
        return decoder.fast(self.text, self.existing)

    def exact(self, decoder: RowDecoder) -> Sequence[Any]:
        self.data = read_json(bytes(self.text), join=json_pointer, path=self.pointer)
        return decoder.exact(self.data, self.existing, stored=self.stored)

    def failures(self, error: ValidationError) -> Sequence[Failure]:
        return failures_of(error, self.data, self.wire, self.pointer, self.id)


@dataclass(slots=True)
class _Changed(Change):
    """The changes at `pointer` of a `patch` or a `merge`, the `stored` element with their id, and its JSON `beneath`
    the changes.
    """

    wire: Wire
    pointer: str
    patch: Patch
    stored: Stored | None
    beneath: str
    data: Any = field(default=None, init=False)

    def fast(self, decoder: RowDecoder) -> Sequence[Any] | None:
        if self.stored is None:
            return None
        return decoder.fast_patch(self.beneath, RawElement(self.patch.data), self.stored.element)

    def exact(self, decoder: RowDecoder) -> Sequence[Any]:
        self.data = read_json(self.patch.data, join=json_pointer, path=self.pointer)
        if self.stored is None:
            return decoder.exact_patch({}, self.data, None)
        current = msgspec.json.decode(self.beneath)
        return decoder.exact_patch(current, self.data, self.stored.element, self.stored.text)

    def failures(self, error: ValidationError) -> Sequence[Failure]:
        return failures_of(error, self.data, self.wire, self.pointer, self.patch.id)


class EntryReader:
    """Reads the elements of one body into entries for a writer of `decoder.columns`; adds the failures to `errors`."""

    def __init__(
        self, dimension: Dimension, repository: Repository, decoder: RowDecoder, errors: Errors[Failure]
    ) -> None:
        self._model = dimension.model
        self._wire = dimension.wire
        self._repository = repository
        self._errors = errors
        self._decoder = decoder
        self._maker = EntryMaker(dimension, repository, decoder)
        self._unique = {column: decoder.columns.index(column) for column in dimension.model.unique_in_repository}
        # Where each unique value occurred first, by column and value.
        self._met: dict[tuple[str, str], str] = {}
        # The positions in `merge` of the elements that depend on what is stored, as far as it is known yet.
        self._incomplete: array[int] = array("q")

    def whole(self, operation: Operation) -> Iterator[Iterator[Entry]]:
        """Yield the entries of `post` or `put`, batch by batch; within a batch there is no query."""
        for first, texts in _batches(operation, BATCH):
            existing = self._existing(texts) if operation.name == "put" else {}
            doubtful: list[int] = []
            entries = map(partial(self._whole, operation, existing, doubtful), count(first), texts)
            yield (entry for entry in entries if entry is not None)
            for start in range(0, len(doubtful), STORED_BATCH):
                yield iter(self.again(operation, doubtful[start : start + STORED_BATCH]))

    def again(self, operation: Operation, positions: Sequence[int]) -> list[Entry]:
        """Return the entries of `put` or `merge` at `positions`, read beside what is stored by now; at most
        `STORED_BATCH`.
        """
        texts = [operation.elements[position - operation.first] for position in positions]
        if operation.name == "merge":
            return self._merges(operation, positions, texts)
        stored = self._maker.stored(map(_peek, texts), locked=False)
        existing = {id: found.element for id, found in stored.items()}
        entries = (
            self._whole(operation, existing, None, position, text, stored.get(str(_peek(text))))
            for position, text in zip(positions, texts, strict=True)
        )
        return [entry for entry in entries if entry is not None]

    def complete_merges(self, operation: Operation) -> Iterator[Iterator[Entry]]:
        """Yield the entries of `merge` with all members in the same way; they are replaced, if no stored map has
        further entries (contract K1).
        """
        for first, texts in _batches(operation, BATCH):
            existing = self._existing(texts)
            entries = map(partial(self._complete, operation, existing), count(first), texts)
            yield (entry for entry in entries if entry is not None)

    def other_merges(self, operation: Operation) -> Iterator[Iterator[Entry]]:
        """Yield the other entries of `merge`; locks the elements, as all bulk writers do. Call it after
        `complete_merges`.
        """
        for start in range(0, len(self._incomplete), STORED_BATCH):
            yield iter(self.again(operation, self._incomplete[start : start + STORED_BATCH]))

    def patches(self, operation: Operation) -> Iterator[Iterator[Entry]]:
        """Yield the entries of `patch`, batch by batch, with the same locks."""
        for first, texts in _batches(operation, STORED_BATCH):
            patches = [read_patch(text, operation.pointer(first + i)) for i, text in enumerate(texts)]
            stored = self._maker.stored((patch.id for patch in patches), locked=True)
            entries = map(partial(self._patched, operation, stored), count(first), patches)
            yield (entry for entry in entries if entry is not None)

    def place_of(self, id: str) -> str | None:
        """Return the JSON Pointer of the `id` in what was read so far; None if it is not there."""
        return self._met.get(("element_id", id))

    def _merges(self, operation: Operation, positions: Sequence[int], texts: Sequence[msgspec.Raw]) -> list[Entry]:
        ids = list(map(_peek, texts))
        stored = self._maker.stored(ids, locked=True)
        entries = (
            self._whole(operation, {}, None, position, text)
            if found is None
            else self._merged(operation, found, position, text)
            for position, text, found in zip(positions, texts, map(stored.get, map(str, ids)), strict=True)
        )
        return [entry for entry in entries if entry is not None]

    def _existing(self, texts: Sequence[msgspec.Raw]) -> dict[str, Element]:
        """Return the stored elements with the ids of `texts`, if their declaration needs more than the id."""
        if len(self._unique) == 1:
            return {}
        found = with_ids(self._model, self._repository, map(_peek, texts)).only(*self._unique)
        return {element.element_id: element for element in found}

    def _complete(
        self, operation: Operation, existing: dict[str, Element], position: int, text: msgspec.Raw
    ) -> Entry | None:
        """Return the entry at `position`; None for one that depends on what is stored, or has errors."""
        pointer = operation.pointer(position)
        found = existing.get(str(_peek(text))) if existing else None
        values = None if too_long(text, pointer) else self._decoder.fast_complete(text, found)
        if values is None:
            self._incomplete.append(position)
            return None
        id = values[self._unique["element_id"]]
        return self._entry(operation, position, f"{pointer}/id", id, found, values, [])

    def _whole(
        self,
        operation: Operation,
        existing: dict[str, Element],
        doubtful: list[int] | None,
        position: int,
        text: msgspec.Raw,
        stored: Stored | None = None,
    ) -> Entry | None:
        """Return the entry at `position`; None for one without an id, and for one that was added to `doubtful`."""
        pointer = operation.pointer(position)
        failure = too_long(text, pointer)
        if failure is not None:
            self._errors.add(position, [failure])
            return None
        found = existing.get(str(_peek(text))) if existing else None
        change = _Whole(self._wire, pointer, text, found, None if stored is None else stored.text)
        failures: list[Failure] = []
        try:
            values = self._maker.values(change, failures)
        except JsonError as error:
            self._errors.add(position, named_failures(error.failures, _peek(text)), error.failure_count)
            return None
        place = f"{pointer}/id"
        if values is not None:
            id: object = values[self._unique["element_id"]]
        else:
            is_excusable = operation.name == "put" and any(failure.code in _EXCUSABLE for failure in failures)
            if is_excusable and doubtful is not None:
                doubtful.append(position)
                return None
            id = None if any(failure.path == place for failure in failures) else change.id
        # An element of `merge` that was not found must not exist when it is written, either.
        is_new = operation.name == "post" or (operation.name == "merge" and values is not None)
        known_id = id if isinstance(id, str) else None
        return self._entry(operation, position, place, known_id, found, values, failures, must_be_new=is_new)

    def _merged(self, operation: Operation, stored: Stored, position: int, text: msgspec.Raw) -> Entry | None:
        pointer = operation.pointer(position)
        failure = too_long(text, pointer)
        if failure is not None:
            self._errors.add(position, [failure])
            return None
        id = stored.element.element_id
        beneath = operation.beneath(position, stored.text)
        change = _Changed(self._wire, pointer, Patch(id, bytes(text)), stored, beneath)
        return self._changed(operation, position, f"{pointer}/id", id, change, [])

    def _patched(self, operation: Operation, stored: Mapping[str, Stored], position: int, patch: Patch) -> Entry | None:
        if patch.id is None:
            self._errors.add(position, patch.failures, patch.failure_count)
            return None
        pointer, place = operation.pointer(position), f"{operation.pointer(position)}/key/id"
        found = stored.get(patch.id)
        failures: list[Failure] = []
        if found is None:
            message = f"The element '{shortened(patch.id)}' does not exist, so it cannot be patched."
            failures.append(Failure(place, "ELEMENT_NOT_FOUND", message, shortened(patch.id)))
        change = _Changed(self._wire, f"{pointer}/data", patch, found, "" if found is None else found.text)
        return self._changed(operation, position, place, patch.id, change, failures)

    def _changed(
        self, operation: Operation, position: int, place: str, id: str, change: _Changed, failures: list[Failure]
    ) -> Entry | None:
        """Return the entry for the `change` of the element `id`, which is named at `place`."""
        values: Sequence[Any] | None = None
        try:
            values = self._maker.values(change, failures)
        except JsonError as error:
            self._errors.add(position, named_failures(error.failures, id), error.failure_count)
        element = None if change.stored is None else change.stored.element
        return self._entry(operation, position, place, id, element, values, failures)

    def _entry(
        self,
        operation: Operation,
        position: int,
        pointer: str,
        id: str | None,
        existing: Element | None,
        values: Sequence[Any] | None,
        failures: list[Failure],
        *,
        must_be_new: bool = False,
    ) -> Entry | None:
        """Return the entry for an element, whose id is at `pointer`; None if it has no id of its own."""
        unique = {"element_id": id} if values is None else {name: values[at] for name, at in self._unique.items()}
        for column, value in unique.items():
            if value is None or (existing is not None and column != "element_id"):
                continue  # other unique values stay as stored, and the writer knows what is stored
            name = self._model.unique_in_repository[column]
            place = pointer if column == "element_id" else f"{operation.pointer(position)}/{name}"
            first = self._met.setdefault((column, value), place)
            if first != place:
                message = f"The {name} '{shortened(value)}' is at {first} already; it must appear only once."
                failures.append(Failure(place, "REPEATED", message, None if id is None else shortened(id)))
                id = None
        self._errors.add(position, failures)
        return None if id is None else Entry(position, must_be_new, id, None if failures else values)


class _Named(msgspec.Struct):
    """Only the id of an element."""

    id: Any = None


_named = msgspec.json.Decoder(_Named)


def _peek(text: msgspec.Raw) -> Any:
    """Return the id in an element, if it can be one."""
    if too_long(text, ""):
        return None
    try:
        return _named.decode(text).id
    except (msgspec.MsgspecError, RecursionError):
        return None


def _batches(operation: Operation, size: int) -> Iterator[tuple[int, list[msgspec.Raw]]]:
    """Yield the elements in batches of this `size`, each with the position of its first."""
    texts = iter(operation.elements)
    first = operation.first
    while batch := list(islice(texts, size)):
        yield first, batch
        first += len(batch)
