"""What is to be saved: elements as they were sent, by operation, each with its place (contract E1, E2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from bulkops.session.disk_lists import Items
from bulkops.session.errors import Errors
from dimensions_site.api.errors import Failure
from dimensions_site.api.failures import json_pointer

SaveMode = Literal["LOOSE", "STRICT"]
# Its name in the OpenAPI documents.
SAVE_MODE = "SaveMode"
# In the order of work.
OPERATIONS = ("post", "put", "merge", "patch")
# A wire path, split into its members.
Segments: TypeAlias = tuple[str, ...]


class Doubt(NamedTuple):
    """A member that leaves the stored value as it is if that is among its `readings`; else it has the `failure`.

    One that `gives_way` leaves any stored value.
    """

    segments: Segments
    readings: Sequence[str]
    failure: Failure | None = None
    gives_way: bool = False


class Item(msgspec.Struct):
    """An element as it was sent: its JSON `text`.

    Merging it removes what is stored at the places `cleared`. `doubts` are about members that depend on what is stored.
    One that is not `is_checkable` has errors, and its text cannot be checked for others.
    """

    text: msgspec.Raw | bytes
    cleared: Sequence[Segments] = ()
    doubts: Sequence[Doubt] = ()
    is_checkable: bool = True


# An element as an operation has it.
Sent: TypeAlias = msgspec.Raw | bytes | Item


@dataclass(frozen=True)
class Operation:
    """One array of a bulk body, or a file: its name, its elements, the position of its first one among all elements.

    `place` is the JSON Pointer of the array if that is not its name; `segments` are those of each element, such as ids
    or the indexes of lines, if that is not its index. With `is_partial`, no element of a merge has all members; with
    `must_exist`, those that are not stored are errors.
    """

    name: str
    elements: Items[Sent]
    first: int
    place: str | None = None
    segments: Sequence[object] | None = None
    is_partial: bool = False
    must_exist: bool = False

    @property
    def end(self) -> int:
        return self.first + len(self.elements)

    def pointer(self, position: int) -> str:
        index = position - self.first
        if self.segments is not None:
            return json_pointer("", self.segments[index])
        return f"{self.place or f'/{self.name}'}/{index}"

    def pointer_of_data(self, position: int) -> str:
        return f"{self.pointer(position)}/data" if self.name == "patch" else self.pointer(position)


def all_operations(
    elements: Mapping[str, Items[Sent]], segments: Mapping[str, Sequence[object]] = MappingProxyType({})
) -> list[Operation]:
    """Return all operations in their order, with these `elements` and `segments` by the names of the operations."""
    found: list[Operation] = []
    for name in OPERATIONS:
        first = found[-1].end if found else 0
        found.append(Operation(name, elements.get(name, ()), first, segments=segments.get(name)))
    return found


def operation_at(operations: Sequence[Operation], position: int) -> Operation:
    """Return the operation with the element at `position`."""
    return next(operation for operation in reversed(operations) if operation.first <= position)


@dataclass(frozen=True)
class Envelope:
    """The content of a bulk body or a file: how references are checked, and its operations.

    With `failures` nothing can be saved, although the elements are still checked; `unlisted` more are only counted.
    `errors` has those that were found while the elements were read; `progress` receives how many of them are checked,
    in steps.
    """

    save_mode: SaveMode
    operations: Sequence[Operation]
    failures: Sequence[Failure] = ()
    unlisted: int = 0
    errors: Errors | None = None
    progress: Callable[[int], None] = lambda _checked: None

    @property
    def count(self) -> int:
        return self.operations[-1].end


def clear(data: Any, segments: Segments) -> None:
    """Remove the value at `segments` from the wire JSON `data`, as an empty cell does."""
    *groups, name = segments
    for group in groups:
        data = data.get(group) if isinstance(data, dict) else None
    if isinstance(data, dict):
        data.pop(name, None)


def value_in(data: Any, segments: Segments) -> Any:
    """Return the value at `segments` of the wire JSON `data`; None if there is none."""
    for name in segments:
        data = data.get(name) if isinstance(data, dict) else None
    return data
