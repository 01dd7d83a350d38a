"""What the fast decoder knows of the wire, derived from its declaration: types of msgspec, and what completes them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.serializers import Bundle, WireObject


def struct_of(declaration: WireObject) -> type[msgspec.Struct]:
    """The struct of complete objects of `declaration`, whose leaves are of their fast types.

    Only what is read and not stored may be missing, and what no object can be complete without (an `oid` to be made).
    """
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for name, member in declaration.fields.items():
        if isinstance(member, WireObject):
            kind: Any = struct_of(member)
            is_optional, can_be_null = False, is_nullable(member)
        else:
            kind = cast(Leaf, member).fast_type()
            is_optional, can_be_null = not (member.required or member.allow_null), member.allow_null
        if can_be_null or member.read_only:
            kind |= None
        fields.append((name, kind | UnsetType, UNSET) if is_optional or member.read_only else (name, kind))
    # Decoded elements hold no circles, so the garbage collector need not know of them.
    return msgspec.defstruct(type(declaration).__name__, fields, forbid_unknown_fields=True, kw_only=True, gc=False)


def is_nullable(declaration: WireObject) -> bool:
    """Whether the object is stored as null when nothing in it is set (contract C8)."""
    return isinstance(declaration, Bundle) and declaration.nullable


@dataclass(frozen=True)
class Shape:
    """What an object of the wire holds where a request says nothing (contract C8, C14)."""

    is_nullable: bool
    # The defaults of the leaves that have one.
    leaves: Mapping[str, Any]
    objects: Mapping[str, "Shape"]

    def completed(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """The object with the members that were not `sent`, and an object in place of null where it is never null.

        What is wrong in it stays wrong, and what is required is still missing.
        """
        result = {**self.leaves, **sent}
        for name, shape in self.objects.items():
            inner = result.get(name)
            if isinstance(inner, dict):
                result[name] = shape.completed(inner)
            elif inner is None:
                result[name] = None if shape.is_nullable else shape.completed({})
        return result


def shape_of(declaration: WireObject) -> Shape:
    """The shape of the objects of `declaration`."""
    members = {name: member for name, member in declaration.fields.items() if not member.read_only}
    return Shape(
        is_nullable(declaration),
        {name: leaf.default for name, leaf in members.items() if not isinstance(leaf, WireObject) and leaf.allow_null},
        {name: shape_of(member) for name, member in members.items() if isinstance(member, WireObject)},
    )


def unset_texts(bundle: Bundle) -> Iterator[bytes]:
    """How the structs of nullable objects in `bundle`, itself included, are written when all in them is null.

    An object comes after those in it, with null in their place.
    """
    for member in bundle.fields.values():
        if isinstance(member, Bundle):
            yield from unset_texts(member)
    if bundle.nullable:
        yield msgspec.json.encode({name: _nothing(member) for name, member in bundle.fields.items()})


def _nothing(member: Any) -> Any:
    if not isinstance(member, WireObject) or is_nullable(member):
        return None
    return {name: _nothing(inner) for name, inner in member.fields.items()}
