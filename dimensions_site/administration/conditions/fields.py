"""The fields that a condition or a column of the list may name, as people call them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.timestamps import as_people_write
from dimensions_site.elements.declaration.wire import NamedField, ObjectNode, Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened

_SHOWN = 60
# The time of a day alone.
_MIDNIGHT = "T00:00:00.000+0000"


def words_of(field: NamedField, text: str) -> str:
    """Return what people call the value that a filter writes as `text`."""
    leaf: Any = field.place.leaf
    kind = field.kind
    if kind is ValueKind.ENUM:
        return shortened(leaf.in_words(leaf.spellings.get(text, text)), _SHOWN)
    if kind is ValueKind.BOOLEAN and text in ("true", "false"):
        return str(leaf.in_words(text == "true"))
    if kind is ValueKind.TIMESTAMP:
        return shortened(as_people_write(text if "T" in text else f"{text}{_MIDNIGHT}"), _SHOWN)
    if kind is ValueKind.DECIMAL:
        return shortened(leaf.in_words(text), _SHOWN)
    return f"“{shortened(text, _SHOWN)}”" if kind in (ValueKind.TEXT, ValueKind.TEXT_MAP) else shortened(text, _SHOWN)


@dataclass(frozen=True)
class FieldGroup:
    """Fields under one heading."""

    title: str
    fields: Sequence[NamedField]


def grouped_fields(
    dimension: Dimension, known_keys: Mapping[str, Sequence[str]], is_offered: Callable[[NamedField], bool]
) -> list[FieldGroup]:
    """Return the offered fields by group, first those without a group.

    A map is followed by its entries with the `known_keys`, by its path.
    """
    root = dimension.wire.root
    own = [member for member in root.members.values() if isinstance(member, Place)]
    groups = [(_("General"), own)]
    groups += [
        (str(member.label), list(_leaves(member))) for member in root.members.values() if isinstance(member, ObjectNode)
    ]
    named = (
        (title, [field for place in places for field in _fields_of(place, known_keys) if is_offered(field)])
        for title, places in groups
    )
    return [FieldGroup(title, fields) for title, fields in named if fields]


def _leaves(node: ObjectNode) -> Iterator[Place]:
    for member in node.members.values():
        if isinstance(member, ObjectNode):
            yield from _leaves(member)
        else:
            yield member


def _fields_of(place: Place, known_keys: Mapping[str, Sequence[str]]) -> Iterator[NamedField]:
    yield NamedField(place.path, place)
    if place.is_map:
        for key in known_keys.get(place.path, ()):
            yield NamedField(f"{place.path}.{key}", place, key)
