"""What decoders derive from the declaration of the JSON: msgspec types, the defaults that they need, and sizes."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from django.conf import settings
from django.utils.translation import gettext as _
from msgspec import UNSET, UnsetType
from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.serializers import Bundle, Group, WireObject
from dimensions_site.text.formats import grouped_number

_encode = msgspec.json.Encoder().encode


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
        yield _encode({name: _nothing(member) for name, member in bundle.fields.items()})


def _nothing(member: Any) -> Any:
    if not isinstance(member, WireObject) or member.nullable:
        return None
    return {name: _nothing(inner) for name, inner in member.fields.items()}


_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NULL = len("null")
# How much a sent text may grow when stored, besides the names it leaves out: timestamps are written in full, and a
# currency gets its oid.
_GROWTH = 512


class Sizes:
    """Measures elements of a `declaration`, whose `columns` are those of rows, each with its wire path.

    The limit is for the JSON as in responses, without read-only members (contract C20). An element stored before it
    existed may be larger, and be written as long as it does not grow. Rows have JSON text at the positions `json`.
    """

    def __init__(self, declaration: WireObject, columns: Sequence[tuple[str, Any]], json: Container[int]) -> None:
        self._columns = columns
        self._json = json
        self._names = len(_encode(_unset(declaration))) - _NULL * len(columns)
        self._read_only = [name for name, member in declaration.fields.items() if member.read_only]

    def is_surely_small(self, length: int) -> bool:
        """Return whether an element whose sent JSON text has this `length` is certainly within the limit."""
        small: bool = length + self._names + _GROWTH <= settings.ELEMENT_MAX_SIZE
        return small

    def check(self, row: Sequence[Any], stored: str | None) -> None:
        """Raise `ValidationError` for a `row` that is too large, unless the `stored` JSON is at least as large."""
        lengths = list(self._lengths(row))
        size, maximum = self._names + sum(lengths), settings.ELEMENT_MAX_SIZE
        if size <= maximum or (stored is not None and size <= self.of_stored(stored)):
            return
        largest = max(range(len(lengths)), key=lengths.__getitem__)
        message = _(
            "The element must not have more than {maximum} bytes of JSON; it has {size}, {part} of them in {path}."
        ).format(
            maximum=grouped_number(maximum),
            size=grouped_number(size),
            part=grouped_number(lengths[largest]),
            path=self._columns[largest][0],
        )
        raise ValidationError([ErrorDetail(message, "too_large")])

    def of_stored(self, text: str) -> int:
        members = _raw_members.decode(text)
        written = {name: msgspec.json.decode(raw) for name, raw in members.items() if name not in self._read_only}
        return len(_encode(written))

    def _lengths(self, row: Sequence[Any]) -> Iterator[int]:
        """Return the length of each column's JSON; the columns at the positions `json` already have it."""
        for position, (value, (_path, member)) in enumerate(zip(row, self._columns, strict=True)):
            if value is None:
                yield _NULL
            elif position in self._json:
                yield len(value.encode())
            else:
                yield len(_encode(member.to_representation(value)))


def _unset(declaration: WireObject) -> dict[str, Any]:
    return {
        name: _unset(member) if isinstance(member, Group) else None
        for name, member in declaration.fields.items()
        if not member.read_only
    }
