"""Reading the leaves of objects that are stored as JSON, all at once."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec

from dimensions_site.elements.reading.cells import Scalar

# The path of a leaf in its object.
Inside: TypeAlias = tuple[str, ...]
# The wanted members of an object, and of each object in it.
_Members: TypeAlias = dict[str, "_Members | None"]


@lru_cache
def leaves_reader(paths: tuple[Inside, ...]) -> Callable[[str], Sequence[Scalar]]:
    """Return a function that reads the leaves at `paths` (at least one) from the JSON text of an object, in this order.

    A leaf is None if it, or an object around it, is null or missing. Leaves are texts, booleans or null; anything else
    raises msgspec's `ValidationError`.
    """
    decode = msgspec.json.Decoder(_struct(_members(paths))).decode
    found = attrgetter(*map(".".join, paths))

    def read(text: str) -> Sequence[Scalar]:
        element = decode(text)
        try:
            leaves: Sequence[Scalar] = found(element)
        except AttributeError:  # an object around one of them is null
            return [_leaf(element, path) for path in paths]
        return leaves

    return read if len(paths) > 1 else lambda text: [_leaf(decode(text), paths[0])]


def _members(paths: Iterable[Inside]) -> _Members:
    members: _Members = {}
    for *groups, name in paths:
        inner: Any = members
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[name] = None
    return members


def _struct(members: _Members) -> type[msgspec.Struct]:
    fields = [(name, (str | bool if inner is None else _struct(inner)) | None, None) for name, inner in members.items()]
    # As in `structs`: without reference cycles, so the garbage collector need not track them.
    return msgspec.defstruct("Members", fields, gc=False)


def _leaf(value: Any, path: Inside) -> Scalar:
    for name in path:
        if value is None:
            return None
        value = getattr(value, name)
    leaf: Scalar = value
    return leaf
