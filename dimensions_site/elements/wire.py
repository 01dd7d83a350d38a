"""The shape of an element's JSON, derived once from the declaration of its serializer.

Lists, filters, sort orders, selected properties and imports all ask this one table where on the wire a
value stands and in which column it is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.maps import DescriptionField, MapField
from dimensions_site.elements.serializers import Bundle, ElementSerializer, WireObject

# Most paths that are named to somebody who wrote an unknown one.
_SIMILAR = 3


@dataclass(frozen=True)
class Place:
    """A leaf or a map of the wire: where it stands, its declaration, its `column`, and where `inside` a JSON one."""

    path: str
    leaf: Leaf
    column: str
    inside: tuple[str, ...] = ()

    @property
    def is_map(self) -> bool:
        return isinstance(self.leaf, MapField)

    @property
    def is_default_description(self) -> bool:
        return isinstance(self.leaf, DescriptionField)


@dataclass(frozen=True)
class Node:
    """An object of the wire; `column` is set when it is kept as a whole in a JSON column."""

    path: str
    column: str | None = None
    members: "dict[str, Node | Place]" = field(default_factory=dict)


class Wire:
    """The wire of one dimension."""

    def __init__(self, serializer: type[ElementSerializer]) -> None:
        self.serializer = serializer
        self.spellings = serializer.spellings
        self.root = _node(serializer(), "", None, ())
        self.places: Mapping[str, Place] = {place.path: place for place in _places(self.root)}

    def canonical_path(self, path: str) -> str:
        """`path` in the spelling of responses (contract C6)."""
        return self.spellings.canonical_path(path)

    def find(self, path: str) -> Node | Place | None:
        """What stands at the canonical `path`: an object, a leaf or a map; None when nothing does."""
        found: Node | Place | None = self.root
        for segment in path.split("."):
            found = found.members.get(segment) if isinstance(found, Node) else None
        return found

    def find_entry(self, path: str) -> tuple[Place, str] | None:
        """The map and the key that `path` means, as in `descriptions.en`; None when the map can have no such entry."""
        group, _, key = path.partition(".")
        place = self.places.get(group)
        fits = place is not None and isinstance(place.leaf, MapField) and place.leaf.has_key(key)
        return (place, key) if place is not None and fits else None

    def similar(self, path: str) -> list[str]:
        """The known paths that could be meant by the unknown `path`.

        The one that differs in capital letters alone, or else those that end like it, for their groups were left out,
        or else those that look like it.
        """
        folded = path.casefold()
        same = [known for known in self.places if known.casefold() == folded]
        longer = [known for known in self.places if known.casefold().endswith(f".{folded}")]
        return same or longer[:_SIMILAR] or get_close_matches(path, self.places, n=_SIMILAR)


def _node(declaration: WireObject, path: str, column: str | None, inside: tuple[str, ...]) -> Node:
    node = Node(path, column)
    for name, declared in declaration.fields.items():
        member_path = f"{path}.{name}" if path else name
        member_inside = (*inside, name) if column is not None else ()
        if isinstance(declared, WireObject):
            own_column = declared.source if isinstance(declared, Bundle) and column is None else column
            node.members[name] = _node(declared, member_path, own_column, member_inside)
        elif isinstance(declared, Leaf):
            node.members[name] = Place(member_path, declared, column or str(declared.source), member_inside)
    return node


def _places(node: Node) -> Iterator[Place]:
    for member in node.members.values():
        if isinstance(member, Place):
            yield member
        else:
            yield from _places(member)
