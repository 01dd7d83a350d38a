"""From the JSON of an element to the row to store: exactly, by the serializer, or fast where nothing is in doubt.

The fast decoder says yes or nothing. What it does not take, right or wrong, is for the serializer, which alone knows
the other spellings and names the faults.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET
from rest_framework.exceptions import ValidationError
from rest_framework.serializers import Serializer

from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.maps import DescriptionField, MapField
from dimensions_site.elements.models import Element
from dimensions_site.elements.serializers import Bundle, Group, WireObject, merged
from dimensions_site.elements.structs import shape_of, struct_of, unset_texts
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

Row = tuple[Any, ...]

# Letters that are written as escapes: among them are NUL, which is refused, and the colon, which is counted.
_DOUBTFUL_ESCAPE = re.compile(rb"\\u00[0-7]")
# JSON that is not right, not in UTF-8, or too deep.
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

_encode = msgspec.json.Encoder().encode


class RowDecoder:
    """Decodes elements of the dimension of `wire` for one `repository`; made once for a request.

    `columns` are all that the wire writes, in the order of rows. Of `json_columns` a row has the JSON text, or None for
    SQL's null; of the others the value that the model's field takes.
    """

    def __init__(self, wire: Wire, repository: Repository) -> None:
        self._plan = _plan(wire)
        self.columns = self._plan.columns
        self.json_columns = self._plan.json_columns
        self._language = repository.default_language
        self._context: dict[str, Any] = {"repository": repository}
        self._declaration = wire.serializer(context=self._context)
        members = [member for _, member in _columns(self._declaration)]
        self._undecided = [
            (position, leaf)
            for position, leaf in enumerate(members)
            if isinstance(leaf, Leaf) and not leaf.fast_type_decides
        ]
        self._rules = [
            (group, {str(member.source): members.index(member) for _, member in _columns(group)})
            for group in _groups(self._declaration)
            if type(group).validate is not Serializer.validate
        ]

    def fast(self, text: bytes | memoryview | msgspec.Raw, existing: Element | None = None) -> Row | None:
        """The row of the element `text`, or None when the exact way has to look at it.

        `existing` is the stored element that it will replace. A row is the one that `read_json` and `exact` give.
        """
        try:
            element = self._plan.element(bytes(text))
            return None if element is None else self._row_of(element, existing)
        except (*_UNREADABLE, ValidationError):
            return None

    def fast_patch(self, current: str, patch: bytes | memoryview | msgspec.Raw, existing: Element) -> Row | None:
        """The row of the stored element after `patch` (contract C15), or None when the exact way has to look at it.

        `current` is its JSON as `full_renderer` writes it.
        """
        try:
            text = self._plan.patched(current, bytes(patch))
        except _UNREADABLE:
            return None
        row = None if text is None else self.fast(text, existing)
        return None if row is None or row[self._plan.id_position] != existing.element_id else row

    def exact(self, data: Any, existing: Element | None = None, id: str | None = None) -> Row:
        """The row of the element `data`, which is JSON as `read_json` reads it. Raises `ValidationError`.

        `id` is that of an element that a path or a key names (contract C14).
        """
        self._context.update(existing=existing, id=id)
        return self._exact_row(self._declaration.run_validation(data))

    def exact_patch(self, current: Mapping[str, Any], patch: Any, existing: Element | None) -> Row:
        """The row of the element whose JSON is `current` after `patch` (contract C15). Raises `ValidationError`."""
        self._context.update(existing=existing, id=None if existing is None else existing.element_id)
        return self._exact_row(self._declaration.validate_patch(current, patch))

    def _exact_row(self, values: Mapping[str, Any]) -> Row:
        return tuple(
            _encode(values[column]).decode()
            if column in self.json_columns and values[column] is not None
            else values[column]
            for column in self.columns
        )

    def _row_of(self, element: Any, existing: Element | None) -> Row | None:
        for name in self._plan.derived:
            # The text in the default language may be told twice, but not change what `descriptions` tell.
            if getattr(element, name) not in (UNSET, element.descriptions.get(self._language)):
                return None
        self._context["existing"] = existing
        values = list(self._plan.values(element))
        for position, leaf in self._undecided:
            value = values[position]
            if value is UNSET:
                values[position] = leaf.get_default()
            elif value is not None:
                values[position] = leaf.fast_value(value)
        for group, positions in self._rules:
            told = group.validate({column: values[position] for column, position in positions.items()})
            for column, position in positions.items():
                values[position] = told[column]
        for position, unset in self._plan.json_positions:
            values[position] = _json_text(values[position], unset)
        return tuple(values)


class _Plan:
    """What depends on the wire alone."""

    def __init__(self, wire: Wire) -> None:
        declaration = wire.serializer()
        paths = list(_columns(declaration))
        members = [member for _, member in paths]
        self.columns = tuple(str(member.source) for member in members)
        self.values = attrgetter(*(path for path, _ in paths))
        self.json_positions = [
            (position, tuple(dict.fromkeys(unset_texts(member))) if isinstance(member, Bundle) else ())
            for position, member in enumerate(members)
            if isinstance(member, Bundle | MapField)
        ]
        self.json_columns = frozenset(self.columns[position] for position, _ in self.json_positions)
        self.id_position = self.columns.index("element_id")
        self.derived = [name for name, leaf in declaration.fields.items() if isinstance(leaf, DescriptionField)]
        self._complete = msgspec.json.Decoder(struct_of(declaration))
        self._shape = shape_of(declaration)

    def element(self, text: bytes) -> Any:
        """The struct of the element `text`; None, or one of `_UNREADABLE`, when it is in doubt."""
        if b"\\" in text and _DOUBTFUL_ESCAPE.search(text):
            return None
        try:
            element = self._complete.decode(text)
        except msgspec.ValidationError:
            # It may only be that something optional was left out.
            sent = _members(text)
            return None if sent is None else self._complete.decode(_encode(self._shape.completed(sent)))
        return element if _is_all_of(text, _encode(element)) else None

    def patched(self, current: str, text: bytes) -> bytes | None:
        """The JSON of the element `current` after the patch `text`; None, or one of `_UNREADABLE`, when in doubt."""
        if b"\\" in text and _DOUBTFUL_ESCAPE.search(text):
            return None
        patch = _members(text)
        if patch is None:
            return None
        stored: dict[str, Any] = _raw_members.decode(current)
        for name in self.derived:
            del stored[name]
        # Only objects that the patch changes are built.
        changed = [name for name, value in patch.items() if isinstance(value, dict) and name in stored]
        return _encode(merged({**stored, **{name: msgspec.json.decode(stored[name]) for name in changed}}, patch))


_plan = cache(_Plan)


def _columns(group: WireObject, path: str = "") -> Iterator[tuple[str, Any]]:
    """The members that are columns, in the order of the declaration, each with its path."""
    for name, member in group.fields.items():
        if member.read_only:
            continue
        if isinstance(member, Group):
            yield from _columns(member, f"{path}{name}.")
        else:
            yield f"{path}{name}", member


def _groups(group: WireObject) -> Iterator[WireObject]:
    """The groups that are stored, each before those in it."""
    yield group
    for member in group.fields.values():
        if isinstance(member, Group) and not member.read_only:
            yield from _groups(member)


def _json_text(value: Any, unset: tuple[bytes, ...]) -> str | None:
    """The text of a map or a bundle; `unset` are the texts of objects that are null when nothing in them is set.

    A text cannot hold one of them by chance: within quotes, quotes are escaped.
    """
    if value is None:
        return None
    text = _encode(value)
    for nothing in unset:
        text = text.replace(nothing, b"null")
    return None if text == b"null" else text.decode()


def _no_fraction(text: str) -> NoReturn:
    raise ValueError("A number with a fraction would be written with other digits.")


_any_members = msgspec.json.Decoder(dict[str, Any], float_hook=_no_fraction)
_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _members(text: bytes) -> dict[str, Any] | None:
    """The members of the object `text`; None when one of them stands twice in its object."""
    members = _any_members.decode(text)
    return members if _is_all_of(text, _encode(members)) else None


def _is_all_of(text: bytes, written: bytes) -> bool:
    """Whether `written`, which is what the decoder took of `text`, is all of it.

    Of a member that stands twice the decoder keeps the last. Nothing is written longer than it was sent, so with equal
    lengths nothing is missing. Else each member has one colon outside of texts; those inside are the same in both,
    because none is written as an escape.
    """
    return len(written) == len(text) or written.count(b":") == text.count(b":")
