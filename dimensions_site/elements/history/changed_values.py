"""The values that differ between two versions of an element, as JSON for programs (contract I5, J2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.merging import Spot, value_at


@dataclass(frozen=True)
class ChangedValue:
    """A value at a path of the wire, before and after; None if it is not set, or if there is no element."""

    path: str
    before: Any
    after: Any


def changed_values(
    dimension: Dimension, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Iterator[ChangedValue]:
    """Yield the differences between the elements `before` and `after`, which are wire JSON, in the order of the wire.

    None is an element that does not exist. An entry of a map has its own path, as in `descriptions.de`. Left out are
    `updateInfo`, what names the element, and the `description` that lists show.
    """
    for place in places(dimension):
        old, new = (None if element is None else value_at(element, Spot(place.path)) for element in (before, after))
        if old == new and type(old) is type(new):
            continue
        if not place.is_map:
            yield ChangedValue(place.path, old, new)
            continue
        old, new = old or {}, new or {}
        for key in {**old, **new}:
            if (key in old) != (key in new) or old.get(key) != new.get(key):
                yield ChangedValue(f"{place.path}.{key}", old.get(key), new.get(key))


def places(dimension: Dimension) -> Iterator[Place]:
    """Yield the fields whose differences count."""
    for place in dimension.wire.places.values():
        is_name = place.column in dimension.model.unique_in_repository
        if not (place.leaf.read_only or is_name or place.is_default_description):
            yield place


def as_json(values: Iterator[ChangedValue]) -> str:
    """Return the changed `values` as a JSON array."""
    return json_text([{"path": value.path, "before": value.before, "after": value.after} for value in values])
