"""Elements as rows of a table, straight from the rows of the database.

Each leaf of the wire is a column, and so is each entry of a map; the heading is the wire path. Import commands read the
same columns (contract H4).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import F, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from dimensions_site.compiled import CompiledColumns
from dimensions_site.elements.cells import Scalar
from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.rendering import streamed_values
from dimensions_site.elements.selection import DEFAULT_DESCRIPTION, DESCRIPTIONS, WHOLE_MAP
from dimensions_site.elements.wire import Node, Place, Wire

Cell = TypeVar("Cell")

_REMEMBERED_CELLS = 1_000


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the leaf, or the map and the key in it, whose values it shows."""

    heading: str
    place: Place
    key: str | None = None


def columns_of(wire: Wire, paths: Iterable[str], language: str, elements: QuerySet[Any]) -> list[Column]:
    """The columns for the known canonical `paths`, in their order; each once.

    A group stands for the leaves in it, and a map for the keys that one of the `elements` has in it, `language` first,
    which is the default one of the repository. The descriptions always have that one.
    """
    wanted = [column for path in paths for column in _wanted(wire, path, language)]
    keys = _keys({column.place.column for column in wanted if _is_whole_map(column)}, elements)
    columns: dict[str, Column] = {}
    for column in wanted:
        for known in _entries(column, keys, language) if _is_whole_map(column) else (column,):
            columns.setdefault(known.heading, known)
    return list(columns.values())


def _wanted(wire: Wire, path: str, language: str) -> Iterator[Column]:
    """The columns that `path` means; that of a whole map has no key yet."""
    if path in (DEFAULT_DESCRIPTION, DESCRIPTIONS):
        yield Column(path, wire.places[DESCRIPTIONS], language)
        return
    found = wire.find(path)
    if isinstance(found, Node):
        for place in wire.places.values():
            if place.path.startswith(f"{path}."):
                yield Column(place.path, place)
    elif found is not None:
        yield Column(path, found)
    else:
        group, _, key = path.partition(".")
        yield Column(path, wire.places[group], None if key == WHOLE_MAP else key)


def _is_whole_map(column: Column) -> bool:
    return column.place.is_map and column.key is None


def _entries(column: Column, keys: Mapping[str, set[str]], language: str) -> Iterator[Column]:
    found = keys[column.place.column] | ({language} if column.place.leaf.required else set())
    for key in sorted(found, key=lambda key: (key != language, key)):
        yield replace(column, heading=f"{column.place.path}.{key}", key=key)


def _keys(maps: Collection[str], elements: QuerySet[Any]) -> dict[str, set[str]]:
    """The keys in each of the columns `maps` of the `elements`; one query."""
    keys: dict[str, set[str]] = {column: set() for column in maps}
    if not keys:
        return keys
    chosen = elements if elements.query.is_sliced else elements.order_by()
    try:
        sql, parameters = chosen.values_list(*keys).query.sql_with_params()
    except EmptyResultSet:
        return keys
    connection = connections[elements.db]
    entries = "JSONB_EACH" if connection.vendor == "postgresql" else "JSON_EACH"
    found = " UNION ".join(
        f"SELECT '{column}', entry.key FROM chosen CROSS JOIN {entries}(chosen.{column}) AS entry" for column in keys
    )
    with connection.cursor() as cursor:
        cursor.execute(f"WITH chosen AS ({sql}) {found}", parameters)
        for column, key in cursor:
            keys[column].add(key)
    return keys


# Puts a value of the database, other than NULL, into the row that is being made.
Filler: TypeAlias = Callable[[list[Any], Any], None]
# Of an object that is kept as JSON, the positions of the leaves in it.
Positions: TypeAlias = dict[str, "int | Positions"]


class TableRenderer(Generic[Cell]):
    """Writes the elements of a queryset as rows below the `headings`; `cell` makes the cell of a value."""

    def __init__(self, columns: Sequence[Column], cell: Callable[[Scalar], Cell]) -> None:
        self.headings = [column.heading for column in columns]
        # Most cells of a column say one of a few things.
        self._cell = lru_cache(_REMEMBERED_CELLS, typed=True)(cell)
        # An empty cell means the default: where that is something, null has to be said.
        self._unset = [cell(None) if _has_default(column.place.leaf) else None for column in columns]
        self._expressions: list[Combinable] = []
        self._fillers: list[Filler] = []
        by_column: dict[str, list[tuple[int, Column]]] = {}
        for position, column in enumerate(columns):
            by_column.setdefault(column.place.column, []).append((position, column))
        for name, placed in by_column.items():
            self._add(name, placed)

    def each(self, queryset: QuerySet[Any]) -> Iterator[list[Cell | None]]:
        """The rows of all elements, in one query, with flat memory; None is an empty cell."""
        columns = CompiledColumns(queryset.model, self._expressions)
        for values in streamed_values(queryset, columns):
            row = self._unset.copy()
            for fill, value in zip(self._fillers, values, strict=True):
                if value is not None:
                    fill(row, value)
            yield row

    def _add(self, name: str, placed: Sequence[tuple[int, Column]]) -> None:
        position, column = placed[0]
        if column.place.is_map:
            self._expressions.append(Cast(F(name), TextField()))
            self._fillers.append(self._map_filler(placed))
        elif column.place.inside:
            self._expressions.append(Cast(F(name), TextField()))
            self._fillers.append(self._bundle_filler(placed))
        else:
            self._expressions.append(column.place.leaf.selected(name))
            self._fillers.append(self._leaf_filler(column.place.leaf, position))

    def _leaf_filler(self, leaf: Leaf, position: int) -> Filler:
        represented = leaf.from_selected
        cell = self._cell

        def fill(row: list[Any], value: Any) -> None:
            row[position] = cell(represented(value))

        return fill

    def _map_filler(self, placed: Iterable[tuple[int, Column]]) -> Filler:
        positions: dict[str | None, list[int]] = {}
        for position, column in placed:
            positions.setdefault(column.key, []).append(position)
        cell = self._cell

        def fill(row: list[Any], text: str) -> None:
            for key, value in orjson.loads(text).items():
                for position in positions.get(key, ()):
                    row[position] = cell(value)

        return fill

    def _bundle_filler(self, placed: Iterable[tuple[int, Column]]) -> Filler:
        positions: Positions = {}
        for position, column in placed:
            *groups, name = column.place.inside
            inner: Any = positions
            for group in groups:
                inner = inner.setdefault(group, {})
            inner[name] = position
        fill = self._group_filler(positions)
        return lambda row, text: fill(row, orjson.loads(text))

    def _group_filler(self, positions: Positions) -> Filler:
        cell = self._cell
        leaves = [(name, place) for name, place in positions.items() if isinstance(place, int)]
        groups = [(name, self._group_filler(place)) for name, place in positions.items() if isinstance(place, dict)]

        def fill(row: list[Any], value: Mapping[str, Any]) -> None:
            for name, place in leaves:
                if (member := value[name]) is not None:
                    row[place] = cell(member)
            for name, fill_group in groups:
                if (member := value[name]) is not None:
                    fill_group(row, member)

        return fill


def _has_default(leaf: Leaf) -> bool:
    return leaf.allow_null and leaf.default is not None
