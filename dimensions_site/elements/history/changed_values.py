"""The values that differ between two versions of an element, as JSON for programs (contract I5, J2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.wire import Node, Place
from dimensions_site.elements.dimension import Dimension


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
    yield from _within(dimension, dimension.wire.root, before or {}, after or {})


def _within(
    dimension: Dimension, node: Node, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[ChangedValue]:
    """Yield the differences in one object; what is equal, mostly everything, is not looked into."""
    for name, member in node.members.items():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(member, Node):
            yield from _within(dimension, member, old or {}, new or {})
        elif not _counts(dimension, member):
            continue
        elif member.is_map:
            old, new = old or {}, new or {}
            for key in {**old, **new}:
                if (key in old) != (key in new) or old.get(key) != new.get(key):
                    yield ChangedValue(f"{member.path}.{key}", old.get(key), new.get(key))
        else:
            yield ChangedValue(member.path, old, new)


def places(dimension: Dimension) -> Iterator[Place]:
    """Yield the fields whose differences count."""
    return (place for place in dimension.wire.places.values() if _counts(dimension, place))


def _counts(dimension: Dimension, place: Place) -> bool:
    is_name = place.column in dimension.model.unique_in_repository
    return not (place.leaf.read_only or is_name or place.is_default_description)


def as_json(values: Iterator[ChangedValue]) -> str:
    """Return the changed `values` as a JSON array."""
    return json_text([{"path": value.path, "before": value.before, "after": value.after} for value in values])
