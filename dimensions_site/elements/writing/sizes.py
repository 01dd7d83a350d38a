"""The limit for the size of an element: its JSON as in responses, without read-only members (contract C20).

An element stored before the limit existed may be larger. It can be written as long as it does not grow.
"""

from collections.abc import Container, Iterator, Sequence
from typing import Any

import msgspec
from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.elements.declaration.serializers import Group, WireObject
from dimensions_site.text.formats import grouped_number

_encode = msgspec.json.Encoder().encode
_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NULL = len("null")
# How much a sent text may grow when stored, besides the names it leaves out: timestamps are written in full, and a
# currency gets its oid.
_GROWTH = 512


class Sizes:
    """Measures elements of a `declaration`, whose `columns` are those of rows, each with its wire path.

    Rows have JSON text at the positions `json`.
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
