"""From the JSON of an element to the row to store: exactly, by the serializer, or fast where nothing is in doubt.

The fast decoder says yes or nothing. What it does not take, right or wrong, is for the serializer, which alone knows
the other spellings and names the faults.
"""

import threading
from collections.abc import Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET
from rest_framework.exceptions import ValidationError
from rest_framework.serializers import Serializer

from dimensions_site.elements.certain_json import UNREADABLE, is_all_of, is_doubtful, is_same_json, members_of
from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.maps import DescriptionField, MapField
from dimensions_site.elements.models import Element
from dimensions_site.elements.serializers import Bundle, Group, WireObject, merged
from dimensions_site.elements.structs import shape_of, struct_of, unset_texts
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

Row = tuple[Any, ...]

_encode = msgspec.json.Encoder().encode
_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


class RowDecoder:
    """Decodes elements of the dimension of `wire` for one `repository`; made once for many elements (`decoder_for`).

    `columns` are all that the wire writes, in the order of rows. Of `json_columns` a row has the JSON text, or None for
    SQL's null; of the others the value that the model's field takes.
    """

    def __init__(self, wire: Wire, repository: Repository) -> None:
        self._plan = _plan(wire)
        self.columns = self._plan.columns
        self.json_columns = self._plan.json_columns
        self._context: dict[str, Any] = {}
        self.turn_to(repository)
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

    def turn_to(self, repository: Repository) -> None:
        """Decode elements for this repository from now on."""
        self._language = repository.default_language
        self._context["repository"] = repository

    def fast(
        self, text: bytes | memoryview | msgspec.Raw, existing: Element | None = None, id: str | None = None
    ) -> Row | None:
        """The row of the element `text`, or None when the exact way has to look at it.

        `existing` is the stored element that it will replace, `id` as in `exact`. A row is the one that `read_json` and
        `exact` give.
        """
        try:
            element = self._plan.element(bytes(text), id)
            row = None if element is None else self._row_of(element, existing)
        except (*UNREADABLE, ValidationError):
            return None
        return row if row is None or id in (None, row[self._plan.id_position]) else None

    def fast_patch(self, current: str, patch: bytes | memoryview | msgspec.Raw, existing: Element) -> Row | None:
        """The row of the stored element after `patch` (contract C15), or None when the exact way has to look at it.

        `current` is its JSON as `full_renderer` writes it.
        """
        try:
            text = self._plan.patched(current, bytes(patch))
        except UNREADABLE:
            return None
        return None if text is None else self.fast(text, existing, existing.element_id)

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

    def check_patch(self, patch: Any, id: str) -> None:
        """Raise `Problem` 400 for what is wrong with `patch` whatever it would change: no element has the `id`."""
        self._context.update(existing=None, id=id)
        self._declaration.check_patch(patch)

    def row_of(self, element: Element) -> Row:
        """The row of a stored element, all of whose columns are read."""
        return self._exact_row(vars(element))

    def values(self, row: Row) -> dict[str, Any]:
        """What the fields of the model hold for a row, by column."""
        return {
            column: msgspec.json.decode(value) if column in self.json_columns and value is not None else value
            for column, value in zip(self.columns, row, strict=True)
        }

    def changes(self, before: Row, after: Row) -> dict[str, Any]:
        """The columns that have another value in the row `after`, with that value as it stands there."""
        return {
            column: new
            for column, old, new in zip(self.columns, before, after, strict=True)
            if old != new and not (column in self.json_columns and is_same_json(old, new))
        }

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

    def element(self, text: bytes, id: str | None) -> Any:
        """The struct of the element `text`, with that `id` unless it says one; None, or one of `UNREADABLE`, when it
        is in doubt."""
        if is_doubtful(text):
            return None
        try:
            element = self._complete.decode(text)
        except msgspec.ValidationError:
            # It may only be that something optional was left out.
            sent = members_of(text)
            if sent is None:
                return None
            known = {} if id is None else {"id": id}
            return self._complete.decode(_encode(self._shape.completed({**known, **sent})))
        return element if is_all_of(text, _encode(element)) else None

    def patched(self, current: str, text: bytes) -> bytes | None:
        """The JSON of the element `current` after the patch `text`; None, or one of `UNREADABLE`, when in doubt."""
        if is_doubtful(text):
            return None
        patch = members_of(text)
        if patch is None:
            return None
        stored: dict[str, Any] = _raw_members.decode(current)
        for name in self.derived:
            del stored[name]
        # Only objects that the patch changes are built.
        changed = [name for name, value in patch.items() if isinstance(value, dict) and name in stored]
        return _encode(merged({**stored, **{name: msgspec.json.decode(stored[name]) for name in changed}}, patch))


_plan = cache(_Plan)


class _Kept(threading.local):
    """The decoders of a thread: while one decodes, it knows which element is meant."""

    def __init__(self) -> None:
        self.decoders: dict[Wire, RowDecoder] = {}


_kept = _Kept()


def decoder_for(wire: Wire, repository: Repository) -> RowDecoder:
    """The decoder of this thread for elements of the `wire`, turned to the `repository`; until it is asked for again.

    Who writes one element would spend more on making a decoder than on all that it decodes.
    """
    decoder = _kept.decoders.get(wire)
    if decoder is None:
        decoder = _kept.decoders[wire] = RowDecoder(wire, repository)
    decoder.turn_to(repository)
    return decoder


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
