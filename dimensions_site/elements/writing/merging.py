"""Changes to elements by field; each entry of a map is a field (design/writing.md).

Two changes to one element are merged, with what both began with; many elements get the same change: it sets or clears
one field, or adds to its text, or replaces a part.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum, StrEnum
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
        own, other = value_of(mine, spot), value_of(theirs, spot)
        begun = Absent.UNKNOWN if base is None else value_of(base, spot)
        if _same(place, own, other) or _same(place, begun, other):
            continue
        if _same(place, begun, own):
            merge.taken.append(spot)
            put_field(merge.element, spot, other)
        else:
            merge.conflicts.append(Conflict(spot, begun, other, own))
    for place in wire.places.values():
        if place.is_map and not value_of(merge.element, Spot(place.path)):
            put_field(merge.element, Spot(place.path), _without_entries(place, base or {}, mine, theirs))
    return merge


def value_of(element: Mapping[str, Any], spot: Spot) -> Any:
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
            keys |= dict.fromkeys(value_of(element, Spot(place.path)) or ())
        yield from ((Spot(place.path, key), place) for key in keys)


def _without_entries(place: Place, base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Any:
    begun, own, other = (value_of(element, Spot(place.path)) for element in (base, mine, theirs))
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


class How(StrEnum):
    SET = "set"
    CLEAR = "clear"
    APPEND = "append"
    PREPEND = "prepend"
    REPLACE = "replace"


@dataclass(frozen=True)
class FieldChange:
    """The change of the field at `place`, or of the entry `key` of the map there.

    `value` is the JSON value to set, or the text to add; to replace, the pattern to find and the text instead.
    """

    place: Place
    key: str | None
    how: How
    value: Any = None
    # The change of the id that this description belongs to; elements that have the id already keep theirs.
    follows: "FieldChange | None" = None

    @property
    def depends_on_stored(self) -> bool:
        """Whether the same change gives different elements different values."""
        return self.follows is not None or not self._is_alike

    @property
    def _is_alike(self) -> bool:
        return self.how == How.SET or (self.how == How.CLEAR and self.key is None)

    def add_to(self, patch: dict[str, Any], columns: Mapping[str, Any]) -> None:
        """Add the change to the `patch` of an element, of which `columns` has the stored values.

        An element without a text gets none added. A missing entry of a map is not cleared, which would create it.
        """
        if self.follows is not None and self.follows._stored(columns) == self.follows.value:
            return
        if self._is_alike:
            put_field(patch, Spot(self.place.path, self.key), self.value)
            return
        stored = self._stored(columns)
        if self.how == How.CLEAR and stored is not None:
            put_field(patch, Spot(self.place.path, self.key), None)
        elif self.how != How.CLEAR and stored and (text := self._text(stored)) != stored:
            put_field(patch, Spot(self.place.path, self.key), text or None)

    def _text(self, stored: str) -> str:
        if self.how == How.REPLACE:
            pattern, text = self.value
            replaced: str = pattern.sub(lambda _found: text, stored)
            return replaced
        added: str = stored + self.value if self.how == How.APPEND else self.value + stored
        return added

    def _stored(self, columns: Mapping[str, Any]) -> str | None:
        """Return the stored text; None if there is none."""
        found: Any = columns.get(self.place.column)
        for name in (*self.place.inside, *(() if self.key is None else (self.key,))):
            found = (found or {}).get(name)
        text: str | None = found
        return text


def patch_of(changes: Iterable[FieldChange], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the patch (contract C15) with the `changes` of an element with these stored `columns`."""
    patch: dict[str, Any] = {}
    for change in changes:
        change.add_to(patch, columns)
    return patch
