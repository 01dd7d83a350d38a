"""The elements of a bulk body, read one by one: what is to be written, and every fault (contract E1, B1)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from typing import Any

import msgspec
from rest_framework.exceptions import ValidationError

from bulkops.faults import Faults
from bulkops.patches import Patch, read_patch
from bulkops.stored import locked
from bulkops.writers.entry import Entry
from dimensions_site.api.errors import Failure
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.paths import json_pointer
from dimensions_site.api.problems import shortened
from dimensions_site.elements.answers import Stored
from dimensions_site.elements.decoding import RowDecoder
from dimensions_site.elements.lookup import with_ids
from dimensions_site.elements.models import Element
from dimensions_site.elements.pointers import failures_of
from dimensions_site.elements.rendering import full_renderer
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

# Elements that are read, and looked up if need be, together.
BATCH = 1_000


@dataclass(frozen=True)
class Operation:
    """One array of a bulk body: its name, its elements, and the position of its first one in the whole body."""

    name: str
    elements: Sequence[msgspec.Raw]
    first: int

    def pointer(self, position: int) -> str:
        """The JSON Pointer of the element at `position`."""
        return f"/{self.name}/{position - self.first}"


class EntryReader:
    """Reads the elements of one body into entries for a writer of `decoder.columns`; adds their faults to `faults`."""

    def __init__(
        self, model: type[Element], wire: Wire, repository: Repository, decoder: RowDecoder, faults: Faults
    ) -> None:
        self._model = model
        self._wire = wire
        self._decoder = decoder
        self._faults = faults
        self._repository = repository
        self._renderer = full_renderer(wire, repository.default_language)
        self._unique = {column: decoder.columns.index(column) for column in model.unique_in_repository}
        # Where each unique value was met first, by column and value.
        self._met: dict[tuple[str, str], str] = {}

    def whole(self, operation: Operation) -> Iterator[Iterator[Entry]]:
        """The entries of `post` or `put`, batch by batch; within a batch the database is not asked."""
        for first, texts in _batches(operation):
            existing = self._existing(texts) if operation.name == "put" else {}
            entries = map(partial(self._whole, operation, existing), count(first), texts)
            yield (entry for entry in entries if entry is not None)

    def again(self, operation: Operation, positions: Sequence[int]) -> list[Entry]:
        """The entries of `put` at `positions`, read once more beside what is stored by now."""
        texts = [operation.elements[position - operation.first] for position in positions]
        existing = self._existing(texts)
        entries = map(partial(self._whole, operation, existing), positions, texts)
        return [entry for entry in entries if entry is not None]

    def patches(self, operation: Operation) -> Iterator[Iterator[Entry]]:
        """The entries of `patch`, in the same way; locks the elements, which other writers of many have to respect."""
        for first, texts in _batches(operation):
            patches = [read_patch(text, operation.pointer(first + i)) for i, text in enumerate(texts)]
            ids = [patch.id for patch in patches if patch.id is not None]
            stored = locked(self._model, self._repository, self._renderer, ids)
            entries = map(partial(self._patched, operation, stored), count(first), patches)
            yield (entry for entry in entries if entry is not None)

    def _existing(self, texts: Sequence[msgspec.Raw]) -> dict[str, Element]:
        """The stored elements with the ids of `texts`, where their declaration asks for more than the id."""
        if len(self._unique) == 1:
            return {}
        ids = [id for text in texts if isinstance(id := _peek(text), str) and "\0" not in id]
        found = with_ids(self._model, self._repository, ids).only(*self._unique)
        return {element.element_id: element for element in found}

    def _whole(
        self, operation: Operation, existing: dict[str, Element], position: int, text: msgspec.Raw
    ) -> Entry | None:
        pointer = operation.pointer(position)
        found = existing.get(str(_peek(text))) if existing else None
        values = self._decoder.fast(text, found)
        if values is not None:
            own_id = str(values[self._unique["element_id"]])
            return self._entry(operation, position, f"{pointer}/id", own_id, found, values, [])
        try:
            data = read_json(bytes(text), join=json_pointer, path=pointer)
        except JsonError as error:
            self._faults.add(position, _named_failures(error, _peek(text)), error.failure_count)
            return None
        id = data.get("id") if isinstance(data, dict) else None
        failures: list[Failure] = []
        try:
            values = self._decoder.exact(data, found)
        except ValidationError as error:
            failures = failures_of(error, data, self._wire, pointer, id)
        has_id = isinstance(id, str) and not any(failure.path == f"{pointer}/id" for failure in failures)
        return self._entry(operation, position, f"{pointer}/id", str(id) if has_id else None, found, values, failures)

    def _patched(
        self,
        operation: Operation,
        stored: Mapping[str, Stored],
        position: int,
        patch: Patch,
    ) -> Entry | None:
        pointer = f"{operation.pointer(position)}/key/id"
        if patch.id is None:
            self._faults.add(position, patch.failures, patch.failure_count)
            return None
        failures: list[Failure] = []
        values: Sequence[Any] | None = None
        found = stored.get(patch.id)
        element = None if found is None else found.element
        if found is not None:
            values = self._decoder.fast_patch(found.text, patch.data, found.element)
        else:
            message = f"There is no element with the id '{shortened(patch.id)}' to patch."
            failures.append(Failure(pointer, "ELEMENT_NOT_FOUND", message, shortened(patch.id)))
        if values is None:
            values = self._exactly_patched(operation, position, patch, found, failures)
        return self._entry(operation, position, pointer, patch.id, element, values, failures)

    def _exactly_patched(
        self,
        operation: Operation,
        position: int,
        patch: Patch,
        stored: Stored | None,
        failures: list[Failure],
    ) -> Sequence[Any] | None:
        existing, current = (None, "{}") if stored is None else (stored.element, stored.text)
        pointer = f"{operation.pointer(position)}/data"
        try:
            data = read_json(patch.data, join=json_pointer, path=pointer)
            values: Sequence[Any] = self._decoder.exact_patch(msgspec.json.decode(current), data, existing)
            return values
        except JsonError as error:
            self._faults.add(position, _named_failures(error, patch.id), error.failure_count)
        except ValidationError as error:
            found = failures_of(error, data, self._wire, pointer, str(patch.id))
            # What is missing could be there in an element that is not.
            failures += [f for f in found if existing is not None or f.code not in ("REQUIRED", "BLANK")]
        return None

    def _entry(
        self,
        operation: Operation,
        position: int,
        pointer: str,
        id: str | None,
        existing: Element | None,
        values: Sequence[Any] | None,
        failures: list[Failure],
    ) -> Entry | None:
        """The entry for an element, whose id stands at `pointer`; None when it has no id of its own."""
        unique = {"element_id": id} if values is None else {name: values[at] for name, at in self._unique.items()}
        for column, value in unique.items():
            if value is None or (existing is not None and column != "element_id"):
                continue  # what else is unique stays as it is stored, and the writer knows what is stored
            name = self._model.unique_in_repository[column]
            place = pointer if column == "element_id" else f"{operation.pointer(position)}/{name}"
            first = self._met.setdefault((column, value), place)
            if first != place:
                message = f"The {name} '{shortened(value)}' stands at {first} already; it can stand once in a request."
                failures.append(Failure(place, "REPEATED", message, None if id is None else shortened(id)))
                id = None
        self._faults.add(position, failures)
        return None if id is None else Entry(position, operation.name == "post", id, None if failures else values)


class _Named(msgspec.Struct):
    """Of an element nothing but its id."""

    id: Any = None


_named = msgspec.json.Decoder(_Named)


def _peek(text: msgspec.Raw) -> Any:
    try:
        return _named.decode(text).id
    except (msgspec.MsgspecError, RecursionError):
        return None


def _named_failures(error: JsonError, id: object) -> list[Failure]:
    """The failures in the text of the element `id`, if that is one."""
    return [replace(failure, id=shortened(id)) if isinstance(id, str) else failure for failure in error.failures]


def _batches(operation: Operation) -> Iterator[tuple[int, list[msgspec.Raw]]]:
    """The elements in batches, each with the position of its first."""
    texts = iter(operation.elements)
    first = operation.first
    while batch := list(islice(texts, BATCH)):
        yield first, batch
        first += len(batch)
