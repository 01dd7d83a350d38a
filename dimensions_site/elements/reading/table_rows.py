"""Elements as rows of a table, directly from the rows of the database (contract H4)."""

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import lru_cache
from itertools import chain, groupby, repeat
from operator import attrgetter, call
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import orjson
from django.db.models import F, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.reading.cells import UNSET, Scalar, Unset, csv_cell
from dimensions_site.elements.reading.statements import read_values

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


_Cell = TypeVar("_Cell")
_Row = TypeVar("_Row")

_REMEMBERED_CELLS = 1_000
_REMEMBERED_LENGTH = 40


def value_rows(
    columns: Sequence[NamedField], cell: Callable[[Scalar], _Cell], elements: QuerySet[Any]
) -> Generator[list[_Cell | None]]:
    """Return the `elements` as lists of what `cell` returns for the values; None is an empty cell."""

    def row(value: Scalar | Unset) -> list[_Cell | None]:
        return [None if value is UNSET else cell(value)]

    return TableRenderer(columns, row, lambda rows: list(chain.from_iterable(rows))).each(elements)


def csv_rows(columns: Sequence[NamedField], elements: QuerySet[Any]) -> tuple[str, Generator[str]]:
    """Return the header and the lines of the `elements` as CSV (RFC 4180), without line ends."""
    headings = ",".join(csv_cell(column.path) for column in columns)
    lines = TableRenderer(columns, csv_cell, ",".join).each(elements)
    # A line with a single empty cell would be an empty line.
    return headings, (line or '""' for line in lines) if len(columns) == 1 else lines


class _Remembered(dict[Any, _Row]):
    """Rows with a single cell, by its value: most values of a column repeat.

    All values have one type, because True and 1 are the same key; `null` is the row for null.
    """

    def __init__(self, make: Callable[[Any], _Row], null: _Row) -> None:
        super().__init__({None: null})
        self._make = make
        self._null = null

    def __missing__(self, value: Any) -> _Row:
        made = self._make(value)
        # Longer texts are not worth the memory, because they seldom repeat.
        if not isinstance(value, str) or len(value) <= _REMEMBERED_LENGTH:
            if len(self) > _REMEMBERED_CELLS:
                self.clear()
                self[None] = self._null
            self[value] = made
        return made


class TableRenderer(Generic[_Row]):
    """Writes the elements of a queryset as rows with a cell for each of the `columns`.

    `cell` makes a row with one cell, for a value or for none (`UNSET`, an empty cell); `beside` joins rows side by
    side. A row is joined from pieces: adjacent cells that come from one column of the database.
    """

    def __init__(
        self,
        columns: Sequence[NamedField],
        cell: Callable[[Scalar | Unset], _Row],
        beside: Callable[[Iterable[_Row]], _Row],
    ) -> None:
        self._cell, self._beside = cell, beside
        self._empty, self._null = cell(UNSET), cell(None)
        # JSON columns hold text, booleans and null. Null is written out in the entries of a map, and where an empty
        # cell would mean the default.
        self._null_as_null = _Remembered(cell, self._null).__getitem__
        self._null_as_empty = _Remembered(cell, self._empty).__getitem__
        self._expressions: list[Combinable] = []
        self._encoders: list[Callable[[Any], _Row]] = []
        for (name, _), piece in groupby(columns, key=_source):
            self._add(name, list(piece))

    def each(self, queryset: QuerySet[Any]) -> Generator[_Row]:
        """Yield the rows of all elements, from one query, with constant memory."""
        # If maps have no entries, there may be nothing to select.
        columns = CompiledColumns(queryset.model, self._expressions or [F("pk")])
        beside, encoders = self._beside, self._encoders
        for values in read_values(queryset, columns):
            yield beside(map(call, encoders, values))

    def _add(self, name: str, piece: Sequence[NamedField]) -> None:
        place = piece[0].place
        if place.is_map or place.inside:
            self._expressions.append(Cast(F(name), TextField()))
            self._encoders.append(self._entries(piece) if place.is_map else self._leaves(piece))
        else:
            self._expressions.append(place.leaf.selected(name))
            self._encoders.append(self._leaf(place.leaf))

    def _leaf(self, leaf: Leaf) -> Callable[[Any], _Row]:
        cell, represented = self._cell, leaf.from_selected
        null = self._null if _has_default(leaf) else self._empty
        return _Remembered(lambda value: cell(represented(value)), null).__getitem__

    def _leaves(self, piece: Sequence[NamedField]) -> Callable[[str | None], _Row]:
        read, beside = leaves_reader(tuple(column.place.inside for column in piece)), self._beside
        cell = self._null_as_null if _has_default(piece[0].place.leaf) else self._null_as_empty
        unset = beside([cell(None)] * len(piece))
        return lambda text: unset if text is None else beside(map(cell, read(text)))

    def _entries(self, piece: Sequence[NamedField]) -> Callable[[str | None], _Row]:
        keys, beside, cell = [column.key for column in piece], self._beside, self._null_as_null
        unset = beside([self._empty] * len(piece))
        return lambda text: (
            unset if text is None else beside(map(cell, map(orjson.loads(text).get, keys, repeat(UNSET))))
        )


def _source(column: NamedField) -> tuple[str, bool]:
    """Return what the cells of a piece share: the column of the database, and whether null is written out."""
    return column.place.column, _has_default(column.place.leaf)


def _has_default(leaf: Leaf) -> bool:
    return leaf.allow_null and leaf.default is not None
