"""The shape of an element's JSON, derived once from the declaration of its serializer.

Lists, filters, sort orders, selected properties and imports use this one table to find the column of a value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db.models import F
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.labels import Headings, entry_name
from dimensions_site.elements.declaration.maps import DescriptionField, MapField
from dimensions_site.elements.declaration.members import all_fields
from dimensions_site.elements.declaration.serializers import Bundle, ElementSerializer, WireObject, columns_in
from dimensions_site.elements.models import ElementColumns
from dimensions_site.rsql.expressions import JsonLeaf
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import MAX_COMPARED, MAX_SUGGESTIONS, close_names, same_names, unknown_field

_Model = TypeVar("_Model", bound=type[ElementColumns])
# Characters of a key.
_SHOWN = 60


@dataclass(frozen=True)
class Place:
    """A leaf or a map: its path, its declaration, its `column`, and the path `inside` a JSON column."""

    path: str
    leaf: Leaf
    column: str
    inside: tuple[str, ...]
    headings: Headings = field(repr=False, compare=False)

    @property
    def label(self) -> str:
        """What people call the leaf within its object, in the language of the thread."""
        return self.headings.all_of(self.path)[-1]

    @property
    def heading(self) -> str:
        """What people call the leaf, in the language of the thread; no other leaf of the dimension has this heading."""
        return self.headings.of(self.path)

    def heading_of(self, key: str | None) -> str:
        """Return the heading of the map's entry `key`, as in `Description (de)`; without a key that of the leaf."""
        return entry_name(self.heading, key)

    @property
    def expression(self) -> F | JsonLeaf:
        """The value of the leaf in SQL, NULL if unset. Raises ValueError for a map in a JSON column."""
        return JsonLeaf(self.column, self.inside, self.leaf.kind) if self.inside else F(self.column)

    @property
    def is_map(self) -> bool:
        return isinstance(self.leaf, MapField)

    @property
    def is_default_description(self) -> bool:
        return isinstance(self.leaf, DescriptionField)


@dataclass(frozen=True)
class NamedField:
    """What a wire path names: a leaf, a whole map (`key` is None), or an entry of a map."""

    path: str
    place: Place
    key: str | None = None

    @property
    def heading(self) -> str:
        """What people call it, in the language of the thread."""
        leaf: Any = self.place.leaf
        is_whole_map = self.key is None and self.place.is_map
        return self.place.heading_of(str(leaf.any_key) if is_whole_map else self.key)

    @property
    def short_heading(self) -> str:
        """The heading with the beginning of a long key, for a sentence and for a column of a list."""
        return self.heading if self.key is None else self.place.heading_of(shortened(self.key, _SHOWN))

    @property
    def is_entry(self) -> bool:
        return self.key is not None

    @property
    def kind(self) -> ValueKind:
        return ValueKind.TEXT if self.is_entry else self.place.leaf.kind

    @property
    def may_be_empty(self) -> bool:
        """Whether it takes an empty text, which is not null (contract C19)."""
        return not self.is_entry and (self.kind is ValueKind.TEXT or self.place.leaf.is_open)

    @property
    def language(self) -> str:
        """The name of the language of an entry, by which it is found; empty for what is in no language."""
        if self.key is None or not self.place.leaf.has_languages:
            return ""
        try:
            return str(get_language_info(self.key)["name_translated"])
        except KeyError:
            return ""

    @property
    def key_in_words(self) -> str:
        """What people call the key of an entry, as in `German (de)`."""
        return f"{capfirst(self.language)} ({self.key})" if self.language else f"{self.key}"

    @property
    def choices(self) -> Mapping[str | bool, str]:
        """The JSON values that it may have, each with its text for people; none if it may have any."""
        leaf = self.place.leaf
        return {} if self.is_entry or leaf.is_open else {value: leaf.in_words(value) for value in leaf.offered}


@dataclass(frozen=True)
class ObjectNode:
    """An object; `column` is set if the whole object is stored in a JSON column."""

    path: str
    label: Any = ""
    help: Any = ""
    column: str | None = None
    members: "dict[str, ObjectNode | Place]" = field(default_factory=dict)


class Wire:
    """The JSON of one dimension's elements."""

    def __init__(self, serializer: type[ElementSerializer]) -> None:
        self.serializer = serializer
        self.declaration = serializer()
        self.spellings = serializer.spellings
        self.root = _node(self.declaration, (), None, (), Headings())
        self.places: Mapping[str, Place] = {place.path: place for place in _places(self.root)}

    @cached_property
    def references(self) -> Sequence[Place]:
        return [place for place in self.places.values() if place.leaf.refers_to is not None]

    @cached_property
    def described(self) -> Mapping[str, Place]:
        """The leaves with the description of what a reference names, each by the path of the reference's id."""
        pairs = ((path, f"{path.removesuffix('.id')}.description") for path in self.places if path.endswith(".id"))
        return {path: self.places[description] for path, description in pairs if description in self.places}

    def json_of(self, element: Any, language: str) -> dict[str, Any]:
        """Return the JSON of an `element`, or of a version of it, where `language` is the default."""
        found: dict[str, Any] = self.declaration.to_representation(element)
        for name, member in self.root.members.items():
            if isinstance(member, Place) and member.is_default_description:
                found[name] = element.descriptions.get(language)
        return found

    def canonical_path(self, path: str) -> str:
        """Return `path` in the spelling of responses (contract C6)."""
        return self.spellings.canonical_path(path)

    def find(self, path: str) -> ObjectNode | Place | None:
        """Return the object, leaf or map at the canonical `path`; None if there is none."""
        found: ObjectNode | Place | None = self.root
        for segment in path.split("."):
            found = found.members.get(segment) if isinstance(found, ObjectNode) else None
        return found

    def split_entry(self, path: str) -> tuple[Place, str] | None:
        """Return the map and the key that `path` names, as in `descriptions.en`; None if there is no such map."""
        group, dot, key = path.partition(".")
        place = self.places.get(group)
        return (place, key) if dot and place is not None and place.is_map else None

    def find_entry(self, path: str) -> tuple[Place, str] | None:
        """Return the same; None also if the map cannot have such a key."""
        entry = self.split_entry(path)
        return entry if entry is not None and self._maps[entry[0].path].has_key(entry[1]) else None

    def named(self, spelling: str) -> NamedField | None:
        """Return the leaf, map or entry that the `spelling` of a path names; None if there is none."""
        path = self.canonical_path(spelling)
        place = self.places.get(path)
        if place is not None:
            return NamedField(path, place)
        entry = self.find_entry(path)
        return None if entry is None else NamedField(path, *entry)

    def refusal(self, spelling: str) -> str:
        """Return the message for a `spelling` that names no single value, with a suggestion."""
        found = self.find(self.canonical_path(spelling))
        if isinstance(found, ObjectNode):
            example = next(path for path in self.places if path.startswith(f"{found.path}."))
            message = _("'{name}' is a group; name one of its fields, such as {example}.")
            return message.format(name=spelling, example=example)
        if found is not None and found.is_map:
            message = _("'{name}' has many entries; name one of them, such as {example}.")
            return message.format(name=spelling, example=f"{found.path}.en")
        group, dot, key = spelling.partition(".")
        maps = [self._maps[name] for name in same_names(group, tuple(self._maps))] if dot else []
        if maps and not maps[0].has_key(key):
            return maps[0].key_refusal(key)
        similar = self.similar(spelling)
        return unknown_field(spelling, similar) + ("" if similar else all_fields())

    def similar(self, path: str) -> list[str]:
        """Return the known paths that the unknown `path` may mean.

        First the path that differs only in case or punctuation, or an entry of a map with a similar name; else the
        paths with the same end, because their groups were left out; else similar paths.
        """
        if len(path) > MAX_COMPARED:
            return []
        folded = path.casefold()
        # A value with this name, else the values of an object with this name.
        longer = [known for known in self.places if known.casefold().endswith(f".{folded}")] or [
            known for known in self.places if f".{folded}." in known.casefold()
        ]
        known = (*self.places, *self.spellings.alternatives)
        return same_names(path, known) or self._entries_like(path) or longer[:MAX_SUGGESTIONS] or self._near(path)

    def _near(self, path: str) -> list[str]:
        group, _dot, name = path.rpartition(".")
        found = self.find(self.canonical_path(group)) if group else None
        if isinstance(found, ObjectNode):
            return self._near_in(found, name)
        near = close_names(path, tuple(self.places))
        if near or "." in path:
            return near
        leaves = {known.rpartition(".")[2]: known for known in self.places}
        return [leaves[name] for name in close_names(path, tuple(leaves))]

    def _near_in(self, group: ObjectNode, name: str) -> list[str]:
        """Return the values of `group` with a name like `name`, else the few values elsewhere with this name.

        Whole paths are not compared, because all values of a group share its name and so look alike.
        """
        leaves = {key: member.path for key, member in group.members.items() if isinstance(member, Place)}
        here = [leaves[key] for key in close_names(name, tuple(leaves))]
        here = here or [path for key, path in leaves.items() if key.casefold().endswith(name.casefold())]
        elsewhere = [path for path in self.places if path.rpartition(".")[2] == name]
        return here or (elsewhere if len(elsewhere) <= MAX_SUGGESTIONS else [])

    def _entries_like(self, path: str) -> list[str]:
        group, dot, key = path.partition(".")
        maps = close_names(group, tuple(self._maps)) if dot else []
        return [f"{name}.{self._maps[name].key_as_written(key)}" for name in maps if self._maps[name].has_key(key)]

    @cached_property
    def _maps(self) -> dict[str, MapField]:
        leaves = ((path, place.leaf) for path, place in self.places.items())
        return {path: leaf for path, leaf in leaves if isinstance(leaf, MapField)}


def _node(
    declaration: WireObject,
    outer: Sequence[tuple[str, Any]],
    column: str | None,
    inside: tuple[str, ...],
    headings: Headings,
) -> ObjectNode:
    """Return the object and all within; `outer` are the name and label of each member that leads to it."""
    path = ".".join(name for name, _label in outer)
    node = ObjectNode(path, declaration.label, declaration.help_text or "", column)
    for name, declared in declaration.fields.items():
        members = [*outer, (name, declared.label)]
        member_inside = (*inside, name) if column is not None else ()
        if isinstance(declared, WireObject):
            own_column = declared.source if isinstance(declared, Bundle) and column is None else column
            node.members[name] = _node(declared, members, own_column, member_inside, headings)
        elif isinstance(declared, Leaf):
            path = ".".join(name for name, _label in members)
            headings.add(path, members)
            node.members[name] = Place(path, declared, column or str(declared.source), member_inside, headings)
    return node


def _places(node: ObjectNode) -> Iterator[Place]:
    for member in node.members.values():
        if isinstance(member, Place):
            yield member
        else:
            yield from _places(member)


def declared_columns(wire: Wire) -> Callable[[_Model], _Model]:
    """Return the decorator that gives a model the columns of the `wire` that `ElementColumns` has not, in its order.

    A leaf is a column, and so is a bundle, as JSON. A column has the wire name in snake case, after the `prefix` of its
    group.
    """

    def with_columns(model: _Model) -> _Model:
        existing = {column.name for column in model._meta.local_fields}
        for _path, member in columns_in(wire.declaration):
            if member.source not in existing:
                model.add_to_class(str(member.source), member.model_field())
        return model

    return with_columns
