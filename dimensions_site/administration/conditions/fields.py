"""The fields that a condition or a column of the list may name, as people call them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.timestamps import as_people_write
from dimensions_site.elements.declaration.wire import ObjectNode, Place, Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened

_SHOWN = 60
# The time of a day alone.
_MIDNIGHT = "T00:00:00.000+0000"


@dataclass(frozen=True)
class NamedField:
    """A leaf, a map (`key` is None), or an entry of a map."""

    path: str
    place: Place
    key: str | None = None

    @property
    def _leaf(self) -> Any:
        return self.place.leaf

    @property
    def heading(self) -> str:
        if self.key is None and self.place.is_map:
            return self.place.heading_of(str(self._leaf.any_key))
        return self.place.heading_of(None if self.key is None else shortened(self.key, _SHOWN))

    @property
    def language(self) -> str:
        """The name of the language of an entry, by which it is found; empty for what is in no language."""
        if self.key is None or not self._leaf.has_languages:
            return ""
        try:
            return str(get_language_info(self.key)["name_translated"])
        except KeyError:
            return ""

    @property
    def is_entry(self) -> bool:
        return self.key is not None

    @property
    def may_be_empty(self) -> bool:
        """Whether the field takes an empty text, which is not null (contract C19)."""
        return not self.is_entry and (self.kind is ValueKind.TEXT or self.place.leaf.is_open)

    @property
    def kind(self) -> ValueKind:
        return ValueKind.TEXT if self.is_entry else self.place.leaf.kind

    def in_words(self, text: str) -> str:
        """Return what people call the value that a filter writes as `text`."""
        leaf: Any = self.place.leaf
        kind = self.kind
        if kind is ValueKind.ENUM:
            return shortened(leaf.in_words(leaf.spellings.get(text, text)), _SHOWN)
        if kind is ValueKind.BOOLEAN and text in ("true", "false"):
            return str(leaf.in_words(text == "true"))
        if kind is ValueKind.TIMESTAMP:
            return shortened(as_people_write(text if "T" in text else f"{text}{_MIDNIGHT}"), _SHOWN)
        if kind is ValueKind.DECIMAL:
            return shortened(leaf.in_words(text), _SHOWN)
        return (
            f"“{shortened(text, _SHOWN)}”" if kind in (ValueKind.TEXT, ValueKind.TEXT_MAP) else shortened(text, _SHOWN)
        )


@dataclass(frozen=True)
class FieldGroup:
    """Fields under one heading."""

    title: str
    fields: Sequence[NamedField]


def named_field(wire: Wire, selector: str) -> NamedField | None:
    """Return the field that `selector` names in any spelling; None if there is none."""
    path = wire.canonical_path(selector)
    place = wire.places.get(path)
    if place is not None:
        return NamedField(path, place)
    entry = wire.find_entry(path)
    return None if entry is None else NamedField(path, *entry)


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
