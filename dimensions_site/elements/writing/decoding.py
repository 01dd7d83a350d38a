"""From an element's JSON to the row to store: by the fast decoder if possible, else by the serializer.

The fast decoder accepts a value or leaves it. What it leaves, valid or not, goes to the serializer, which alone knows
the other spellings and the error messages.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET
from rest_framework.exceptions import ValidationError
from rest_framework.serializers import Serializer

from dimensions_site.api.json.elements import UNREADABLE, RawElement, is_all_of, is_doubtful, is_same_json
from dimensions_site.api.json.texts import merge_objects
from dimensions_site.elements.declaration.fields import ElementContext, Leaf
from dimensions_site.elements.declaration.maps import DescriptionField, MapField
from dimensions_site.elements.declaration.serializers import Bundle, Group, WireObject, columns_in
from dimensions_site.elements.declaration.structs import Sizes, defaults_of, struct_of, unset_texts
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.models import Element

RowValues = tuple[Any, ...]

_encode = msgspec.json.Encoder().encode


class RowDecoder:
    """Decodes elements of the dimension of `wire`; it never changes, so all threads share one (`decoder_of`).

    `columns` are all writable columns, in the order of rows. A row has JSON text for the `json_columns`, or None for
    SQL's NULL; for the others it has the value that the model's field takes.
    """

    def __init__(self, wire: Wire) -> None:
        self.declaration = declaration = wire.declaration
        paths = _writable_columns(declaration)
        members = [member for _, member in paths]
        self.columns = tuple(str(member.source) for member in members)
        self._values = attrgetter(*(path for path, _ in paths))
        self._json_positions = [
            (position, tuple(dict.fromkeys(unset_texts(member))) if isinstance(member, Bundle) else ())
            for position, member in enumerate(members)
            if isinstance(member, Bundle | MapField)
        ]
        self.json_columns = frozenset(self.columns[position] for position, _ in self._json_positions)
        self._sizes = Sizes(declaration, paths, {position for position, _ in self._json_positions})
        self._id_position = self.columns.index("element_id")
        self._undecided = [
            (position, leaf)
            for position, leaf in enumerate(members)
            if isinstance(leaf, Leaf) and not leaf.fast_type_decides
        ]
        self._rules = [
            (group, {str(member.source): members.index(member) for _, member in _writable_columns(group)})
            for group in _groups(declaration)
            if type(group).validate is not Serializer.validate
        ]
        self._derived = [name for name, leaf in declaration.fields.items() if isinstance(leaf, DescriptionField)]
        self._maps = declaration.maps
        self._struct = struct_of(declaration)
        # Returns the struct for the JSON text of a complete element.
        self._decode = msgspec.json.Decoder(self._struct).decode
        self._defaults = defaults_of(declaration)

    def whole(self, sent: RawElement, context: ElementContext) -> RowValues:
        """Return the row of the element that was `sent`. Raises `ValidationError`, and `JsonError` for other texts.

        If the `context` knows the stored JSON, an element that is too large may be replaced by one that is no larger
        (contract C20).
        """
        row = self.fast(sent, context)
        return self.exact(sent.value, context) if row is None else row

    def changed(self, current: str, patch: RawElement, context: ElementContext) -> RowValues:
        """Return the row of the element whose JSON is `current` after the `patch` (contract C15). Raises as `whole`."""
        row = None if context.existing is None else self.fast_patch(current, patch, context)
        return self.exact_patch(current, patch, context) if row is None else row

    def fast(self, sent: RawElement, context: ElementContext) -> RowValues | None:
        """Return the row that `exact` returns for the element that was `sent`; None to leave it to `exact`."""
        return self._fast(len(sent.text), context, lambda: self._element(sent, context.id))

    def fast_complete(self, text: bytes, context: ElementContext) -> RowValues | None:
        """Return the same for an element's `text`; None also if it may leave anything out.

        A patch with all members of an element stores the same row as a replacement, except that entries of stored maps
        stay (contract C15).
        """
        return self._fast(len(text), context, lambda: self._complete(text))

    def fast_patch(self, current: str, patch: RawElement, context: ElementContext) -> RowValues | None:
        """Return the row that `exact_patch` returns; None to leave it to `exact_patch`.

        `current` is the element's JSON as `full_renderer` writes it.
        """
        length = len(current.encode()) + len(patch.text)
        return self._fast(length, context, lambda: self._patched(current, patch))

    def fast_stored(self, current: str, context: ElementContext) -> RowValues | None:
        """Return the row of the stored element whose JSON is `current`, or None if only its columns can be read."""
        return self._fast(0, context, lambda: self._decode(current))

    def exact(self, data: Any, context: ElementContext) -> RowValues:
        """Return the row of the element `data`, which is JSON as `read_json` reads it. Raises `ValidationError`."""
        return self._of_right_size(self.declaration.run_validation(data, context), context)

    def exact_patch(self, current: str, patch: RawElement, context: ElementContext) -> RowValues:
        """Return the row of the element whose JSON is `current` after the `patch`. Raises `ValidationError`."""
        element = msgspec.json.decode(current)
        values = self.declaration.validate_patch(element, patch.value, context, removes=patch.removes)
        return self._of_right_size(values, context)

    def row_of(self, element: Element) -> RowValues:
        return self._exact_row(vars(element))

    def changes(self, before: RowValues, after: RowValues) -> dict[str, Any]:
        return {
            column: new
            for column, old, new in zip(self.columns, before, after, strict=True)
            if old != new and not (column in self.json_columns and is_same_json(old, new))
        }

    def _of_right_size(self, values: Mapping[str, Any], context: ElementContext) -> RowValues:
        row = self._exact_row(values)
        self._sizes.check(row, context.stored)
        return row

    def _exact_row(self, values: Mapping[str, Any]) -> RowValues:
        return tuple(
            _encode(values[column]).decode()
            if column in self.json_columns and values[column] is not None
            else values[column]
            for column in self.columns
        )

    def _fast(self, length: int, context: ElementContext, read: Callable[[], Any]) -> RowValues | None:
        """Return the row of the struct that `read` returns; None if it is in doubt or may be too large."""
        if not self._sizes.is_surely_small(length):
            return None
        try:
            element = read()
            row = None if element is None else self._row(element, context)
        except (*UNREADABLE, ValidationError):
            return None
        return row if row is None or context.id in (None, row[self._id_position]) else None

    # The structs of elements. In doubt, the result is None or one of `UNREADABLE` is raised.

    def _complete(self, text: bytes) -> Any:
        if is_doubtful(text):
            return None
        element = self._decode(text)
        return element if is_all_of(text, _encode(element)) else None

    def _element(self, sent: RawElement, id: str | None) -> Any:
        """Return the struct of the element that was `sent`, with that `id` unless it has one."""
        if sent.is_parsed:
            return self._completed(sent.members, id)
        try:
            return self._complete(sent.text)
        except msgspec.ValidationError:
            # Perhaps only something optional is missing.
            return self._completed(sent.members, id)

    def _completed(self, members: Mapping[str, Any] | None, id: str | None) -> Any:
        """Return the struct of an element with these `members`, and with that `id` unless they have one."""
        if members is None:
            return None
        known = {} if id is None else {"id": id}
        return msgspec.convert(self._defaults.completed({**known, **members}), self._struct)

    def _patched(self, current: str, patch: RawElement) -> Any:
        if patch.members is None:
            return None
        stored: dict[str, Any] = msgspec.json.decode(current)
        for name in self._derived:
            del stored[name]
        return self._completed(merge_objects(stored, patch.members, self._maps if patch.removes else ()), None)

    def _row(self, element: Any, context: ElementContext) -> RowValues | None:
        """Return the row of a struct; None if the element contradicts itself. Raises `ValidationError`."""
        for name in self._derived:
            # `description` may repeat the text in the default language, but not contradict `descriptions`.
            if getattr(element, name) not in (UNSET, element.descriptions.get(context.language)):
                return None
        values = list(self._values(element))
        for position, leaf in self._undecided:
            value = values[position]
            if value is UNSET:
                values[position] = leaf.default_in(context)
            elif value is not None:
                values[position] = leaf.fast_value(value, context)
        for group, positions in self._rules:
            validated = group.validate({column: values[position] for column, position in positions.items()})
            for column, position in positions.items():
                values[position] = validated[column]
        for position, unset in self._json_positions:
            values[position] = _json_text(values[position], unset)
        return tuple(values)


@cache
def decoder_of(wire: Wire) -> RowDecoder:
    """Return the decoder for elements of the `wire`."""
    return RowDecoder(wire)


def _writable_columns(group: WireObject) -> list[tuple[str, Any]]:
    return [(path, member) for path, member in columns_in(group) if not member.read_only]


def _groups(group: WireObject) -> Iterator[WireObject]:
    """Return the groups that are stored, each before the groups in it."""
    yield group
    for member in group.fields.values():
        if isinstance(member, Group) and not member.read_only:
            yield from _groups(member)


def _json_text(value: Any, unset: tuple[bytes, ...]) -> str | None:
    """Return the JSON text of a map or a bundle; `unset` are the texts of nullable objects in which nothing is set.

    A text value cannot contain one of them by chance, because quotes in it are escaped.
    """
    if value is None:
        return None
    text = _encode(value)
    for nothing in unset:
        text = text.replace(nothing, b"null")
    return None if text == b"null" else text.decode()
