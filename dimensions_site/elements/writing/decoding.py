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

from dimensions_site.api.json.fast import UNREADABLE, is_all_of, is_doubtful, is_same_json, members_of
from dimensions_site.api.json.texts import merge_objects
from dimensions_site.elements.declaration.context import ElementContext
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.maps import DescriptionField, MapField
from dimensions_site.elements.declaration.serializers import Bundle, Group, WireObject
from dimensions_site.elements.declaration.sizes import Sizes
from dimensions_site.elements.declaration.structs import shape_of, struct_of, unset_texts
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.raw_element import RawElement
from dimensions_site.repositories.models import Repository

Row = tuple[Any, ...]

_encode = msgspec.json.Encoder().encode


class RowDecoder:
    """Decodes elements of the dimension of `wire` for one `repository`; it never changes, so threads may share it.

    `columns` are all writable columns, in the order of rows. A row has JSON text for the `json_columns`, or None for
    SQL's NULL; for the others it has the value that the model's field takes.
    """

    def __init__(self, wire: Wire, repository: Repository) -> None:
        self._plan = _plan(wire)
        self.columns = self._plan.columns
        self.json_columns = self._plan.json_columns
        self._language = repository.default_language

    def fast(self, text: bytes | memoryview | msgspec.Raw, existing: Element | None = None) -> Row | None:
        """Return the row of the element `text`, or None if the serializer has to decode it.

        `existing` is the stored element that it will replace. The row equals that of `read_json` and `exact`.
        """
        written, context = bytes(text), ElementContext(self._language, existing)
        return self._fast(len(written), context, lambda: self._plan.element(written))

    def fast_complete(self, text: bytes | memoryview | msgspec.Raw, existing: Element | None = None) -> Row | None:
        """Return the row of the element `text`; None if it may leave anything out, or the serializer has to decode it.

        A patch with all members of an element stores the same row as a replacement, except that entries of stored maps
        stay (contract C15).
        """
        written, context = bytes(text), ElementContext(self._language, existing)
        return self._fast(len(written), context, lambda: self._plan.complete(written))

    def fast_raw(self, sent: RawElement, existing: Element | None = None, id: str | None = None) -> Row | None:
        """Return the same for an element that was `sent`; `id` as in `exact`."""
        context = ElementContext(self._language, existing, id)
        return self._fast(len(sent.text), context, lambda: self._plan.completed(sent.members, id))

    def fast_patch(self, current: str, patch: RawElement, existing: Element) -> Row | None:
        """Return the row of the stored element after `patch` (contract C15); None if the serializer has to decode it.

        `current` is the element's JSON as `full_renderer` writes it.
        """
        length = len(current.encode()) + len(patch.text)
        context = ElementContext(self._language, existing, existing.element_id)
        return self._fast(length, context, lambda: self._plan.patched(current, patch))

    def fast_stored(self, current: str, existing: Element) -> Row | None:
        """Return the row of the stored element whose JSON is `current`, or None if the serializer has to decode it."""
        return self._fast(0, ElementContext(self._language, existing), lambda: self._plan.decode(current))

    def _fast(self, length: int, context: ElementContext, read: Callable[[], Any]) -> Row | None:
        """Return the row of the struct that `read` returns; None if it is in doubt or may be too large."""
        if not self._plan.sizes.is_surely_small(length):
            return None
        try:
            element = read()
            row = None if element is None else self._plan.row_of(element, context)
        except (*UNREADABLE, ValidationError):
            return None
        return row if row is None or context.id in (None, row[self._plan.id_position]) else None

    def exact(
        self, data: Any, existing: Element | None = None, id: str | None = None, stored: str | None = None
    ) -> Row:
        """Return the row of the element `data`, which is JSON as `read_json` reads it. Raises `ValidationError`.

        `id` is that of an element that a path or a key names (contract C14), `stored` the JSON of the element that it
        will replace, if known: an element that is too large may be replaced by one that is no larger (contract C20).
        """
        context = ElementContext(self._language, existing, id, stored)
        return self._of_right_size(self._plan.declaration.run_validation(data, context), stored)

    def exact_patch(
        self,
        current: Mapping[str, Any],
        patch: Any,
        existing: Element | None,
        stored: str | None = None,
        *,
        removes: bool = False,
    ) -> Row:
        """Return the row of the element whose JSON is `current` after `patch` (contract C15). Raises `ValidationError`.

        `stored` as in `exact`, `removes` as of `RawElement`.
        """
        id = None if existing is None else existing.element_id
        context = ElementContext(self._language, existing, id, stored)
        values = self._plan.declaration.validate_patch(current, patch, context, removes=removes)
        return self._of_right_size(values, stored)

    def check_patch(self, patch: Any, id: str) -> None:
        """Raise `Problem` 400 for errors in `patch` that do not depend on the element: no element has the `id`."""
        self._plan.declaration.check_patch(patch, ElementContext(self._language, None, id))

    def row_of(self, element: Element) -> Row:
        """Return the row of a stored element, all of whose columns are loaded."""
        return self._exact_row(vars(element))

    def changes(self, before: Row, after: Row) -> dict[str, Any]:
        """Return the columns that differ in the row `after`, with their values in it."""
        return {
            column: new
            for column, old, new in zip(self.columns, before, after, strict=True)
            if old != new and not (column in self.json_columns and is_same_json(old, new))
        }

    def _of_right_size(self, values: Mapping[str, Any], stored: str | None) -> Row:
        row = self._exact_row(values)
        self._plan.sizes.check(row, stored)
        return row

    def _exact_row(self, values: Mapping[str, Any]) -> Row:
        return tuple(
            _encode(values[column]).decode()
            if column in self.json_columns and values[column] is not None
            else values[column]
            for column in self.columns
        )


class _Plan:
    """What depends on the wire alone, and never changes either."""

    def __init__(self, wire: Wire) -> None:
        self.declaration = declaration = wire.serializer()
        paths = list(_columns(declaration))
        members = [member for _, member in paths]
        self.columns = tuple(str(member.source) for member in members)
        self._values = attrgetter(*(path for path, _ in paths))
        self._json_positions = [
            (position, tuple(dict.fromkeys(unset_texts(member))) if isinstance(member, Bundle) else ())
            for position, member in enumerate(members)
            if isinstance(member, Bundle | MapField)
        ]
        self.json_columns = frozenset(self.columns[position] for position, _ in self._json_positions)
        self.sizes = Sizes(declaration, paths, {position for position, _ in self._json_positions})
        self.id_position = self.columns.index("element_id")
        self._undecided = [
            (position, leaf)
            for position, leaf in enumerate(members)
            if isinstance(leaf, Leaf) and not leaf.fast_type_decides
        ]
        self._rules = [
            (group, {str(member.source): members.index(member) for _, member in _columns(group)})
            for group in _groups(declaration)
            if type(group).validate is not Serializer.validate
        ]
        self._derived = [name for name, leaf in declaration.fields.items() if isinstance(leaf, DescriptionField)]
        self._maps = declaration.maps
        self._struct = struct_of(declaration)
        # Returns the struct for the JSON text of a complete element.
        self.decode = msgspec.json.Decoder(self._struct).decode
        self._shape = shape_of(declaration)

    # The structs of elements. In doubt, the result is None or one of `UNREADABLE` is raised.

    def complete(self, text: bytes) -> Any:
        """Return the struct of the element `text`, which has all members."""
        if is_doubtful(text):
            return None
        element = self.decode(text)
        return element if is_all_of(text, _encode(element)) else None

    def element(self, text: bytes) -> Any:
        """Return the struct of the element `text`."""
        try:
            return self.complete(text)
        except msgspec.ValidationError:
            # Perhaps only something optional is missing.
            return self.completed(members_of(text), None)

    def completed(self, members: Mapping[str, Any] | None, id: str | None) -> Any:
        """Return the struct of an element with these `members`, and with that `id` unless they have one."""
        if members is None:
            return None
        known = {} if id is None else {"id": id}
        return msgspec.convert(self._shape.completed({**known, **members}), self._struct)

    def patched(self, current: str, patch: RawElement) -> Any:
        """Return the struct of the element whose JSON is `current` after the `patch`."""
        if patch.members is None:
            return None
        stored: dict[str, Any] = msgspec.json.decode(current)
        for name in self._derived:
            del stored[name]
        return self.completed(merge_objects(stored, patch.members, self._maps if patch.removes else ()), None)

    def row_of(self, element: Any, context: ElementContext) -> Row | None:
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


_plan = cache(_Plan)


def _columns(group: WireObject, path: str = "") -> Iterator[tuple[str, Any]]:
    """Return the members that are columns, in the order of the declaration, each with its path."""
    for name, member in group.fields.items():
        if member.read_only:
            continue
        if isinstance(member, Group):
            yield from _columns(member, f"{path}{name}.")
        else:
            yield f"{path}{name}", member


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
