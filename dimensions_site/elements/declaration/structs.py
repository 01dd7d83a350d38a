"""The msgspec types of the fast decoder, derived from the declaration of the JSON, and the defaults they need."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.serializers import Bundle, WireObject


def struct_of(declaration: WireObject) -> type[msgspec.Struct]:
    """Return the struct of complete objects of `declaration`, with the fast types of its leaves.

    Only read-only members may be missing, and those that are generated (`oid`).
    """
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for name, member in declaration.fields.items():
        if isinstance(member, WireObject):
            kind: Any = struct_of(member)
            is_optional, can_be_null = False, member.nullable
        else:
            kind = cast(Leaf, member).fast_type()
            is_optional, can_be_null = not (member.required or member.allow_null), member.allow_null
        if can_be_null or member.read_only:
            kind |= None
        fields.append((name, kind | UnsetType, UNSET) if is_optional or member.read_only else (name, kind))
    # Decoded elements have no reference cycles, so the garbage collector need not track them.
    return msgspec.defstruct(type(declaration).__name__, fields, forbid_unknown_fields=True, kw_only=True, gc=False)


@dataclass(frozen=True)
class ObjectDefaults:
    """The values of an object's members that a request leaves out (contract C8, C14)."""

    is_nullable: bool
    # The defaults of the leaves that have one.
    leaves: Mapping[str, Any]
    objects: Mapping[str, "ObjectDefaults"]

    def completed(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the object with defaults for members not `sent`, and an object for null where null is not stored.

        Invalid values stay invalid, and required members stay missing.
        """
        result = {**self.leaves, **sent}
        for name, shape in self.objects.items():
            inner = result.get(name)
            if isinstance(inner, dict):
                result[name] = shape.completed(inner)
            elif inner is None:
                result[name] = None if shape.is_nullable else shape.completed({})
        return result


def defaults_of(declaration: WireObject) -> ObjectDefaults:
    """Return the shape of the objects of `declaration`."""
    members = {name: member for name, member in declaration.fields.items() if not member.read_only}
    return ObjectDefaults(
        declaration.nullable,
        {name: leaf.default for name, leaf in members.items() if not isinstance(leaf, WireObject) and leaf.allow_null},
        {name: defaults_of(member) for name, member in members.items() if isinstance(member, WireObject)},
    )


def unset_texts(bundle: Bundle) -> Iterator[bytes]:
    """Return the JSON texts of the nullable objects in `bundle`, itself included, when all their values are null.

    An object comes after the objects in it, which are null in its text.
    """
    for member in bundle.fields.values():
        if isinstance(member, Bundle):
            yield from unset_texts(member)
    if bundle.nullable:
        yield msgspec.json.encode({name: _nothing(member) for name, member in bundle.fields.items()})


def _nothing(member: Any) -> Any:
    if not isinstance(member, WireObject) or member.nullable:
        return None
    return {name: _nothing(inner) for name, inner in member.fields.items()}
