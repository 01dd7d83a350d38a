"""A three-way merge of two changes to one element, by field; each entry of a map is a field (design/writing.md)."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from rest_framework.exceptions import ValidationError

from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.wire import Place, Wire


class Absent(Enum):
    """The marker for a value that does not exist."""

    # The map has no such entry, which differs from an entry without a text (contract C3).
    ENTRY = "entry"
    # The version that the form was opened with no longer exists.
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Spot:
    path: str
    key: str | None = None

    def __str__(self) -> str:
        return self.path if self.key is None else f"{self.path}.{self.key}"


@dataclass(frozen=True)
class Conflict:
    """A field that both changed to different values; `base` is the value before both changes."""

    spot: Spot
    base: Any
    theirs: Any
    mine: Any


@dataclass(frozen=True)
class Merge:
    """The wire JSON with both changes; `taken` are the fields that only the others changed.

    Where there is a conflict, the element has my value.
    """

    element: dict[str, Any]
    taken: list[Spot] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)


def three_way_merge(
    wire: Wire, base: Mapping[str, Any] | None, mine: Mapping[str, Any], theirs: Mapping[str, Any]
) -> Merge:
    """Merge `mine` and `theirs`, which both derive from `base`; all are wire JSON.

    Without a base, every difference is a conflict, because its author is unknown.
    """
    merge = Merge(deepcopy(dict(mine)))
    for spot, place in _spots(wire, base or {}, mine, theirs):
        own, other = value_at(mine, spot), value_at(theirs, spot)
        begun = Absent.UNKNOWN if base is None else value_at(base, spot)
        if _same(place, own, other) or _same(place, begun, other):
            continue
        if _same(place, begun, own):
            merge.taken.append(spot)
            put_field(merge.element, spot, other)
        else:
            merge.conflicts.append(Conflict(spot, begun, other, own))
    for place in wire.places.values():
        if place.is_map and not value_at(merge.element, Spot(place.path)):
            put_field(merge.element, Spot(place.path), _without_entries(place, base or {}, mine, theirs))
    return merge


def value_at(element: Mapping[str, Any], spot: Spot) -> Any:
    """Return the value of the field, or `Absent.ENTRY` for a missing entry of a map."""
    value: Any = element
    for name in spot.path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if spot.key is None:
        return value
    return (value or {}).get(spot.key, Absent.ENTRY)


def put_field(element: dict[str, Any], spot: Spot, value: Any) -> None:
    """Set the field of the `element` to `value`; `Absent.ENTRY` removes the entry of a map."""
    *groups, name = spot.path.split(".")
    for group in groups:
        if element.get(group) is None:
            element[group] = {}
        element = element[group]
    if spot.key is None:
        element[name] = value
        return
    entries = {key: text for key, text in (element.get(name) or {}).items() if key != spot.key}
    element[name] = entries if value is Absent.ENTRY else {**entries, spot.key: value}


def _spots(wire: Wire, *elements: Mapping[str, Any]) -> Iterator[tuple[Spot, Place]]:
    """Return each writable field, and each entry that a map has in any of the `elements`."""
    for place in wire.places.values():
        if place.leaf.read_only:
            continue
        if not place.is_map:
            yield Spot(place.path), place
            continue
        keys: dict[str, None] = {}
        for element in elements:
            keys |= dict.fromkeys(value_at(element, Spot(place.path)) or ())
        yield from ((Spot(place.path, key), place) for key in keys)


def _without_entries(place: Place, base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Any:
    begun, own, other = (value_at(element, Spot(place.path)) for element in (base, mine, theirs))
    value = other if own == begun else own
    return value if not value else None if place.leaf.allow_null else {}


def _same(place: Place, one: Any, other: Any) -> bool:
    """Return whether two values mean the same, such as two spellings of a timestamp."""
    if place.is_map or isinstance(one, Absent) or isinstance(other, Absent) or None in (one, other):
        return bool(one == other)
    return bool(_canonical(place.leaf, one) == _canonical(place.leaf, other))


def _canonical(leaf: Leaf, value: Any) -> Any:
    try:
        return leaf.to_representation(leaf.to_internal_value(value))
    except ValidationError:
        return value
