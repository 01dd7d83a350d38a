"""The columns of tables of elements: one for each leaf and for each entry of a map.

A column is a `NamedField`, and its heading the wire path. Import commands read the same columns (contract H4).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet

from dimensions_site.api.errors import Failure, Problem
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.declaration.wire import NamedField, ObjectNode, Place, Wire
from dimensions_site.elements.reading.selection import DEFAULT_DESCRIPTION, DESCRIPTIONS, WHOLE_MAP

# As many as imports read, and Excel has. In the web server the time for each row must not grow without limit.
MAX_COLUMNS = 16_384
# How many elements are read to learn the keys that nearly all have.
_USUAL = 100


class TooManyColumns(Problem):
    """The table would have more columns than allowed."""

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        message = (
            f"A table has at most {maximum:,} columns, and the maps of these elements have more keys; fetch fewer "
            "properties, or accept application/x-ndjson."
        )
        super().__init__(400, "TOO_MANY_COLUMNS", message, [Failure("Accept", "TOO_MANY_COLUMNS", message)])


def table_columns(
    wire: Wire, paths: Iterable[str], language: str, elements: QuerySet[Any], *, maximum: int | None = None
) -> list[NamedField]:
    """Return the columns for the known canonical `paths`, in this order and each once.

    A group stands for its leaves, and a map for the keys that any of the `elements` has in it, first `language`, the
    repository's default one. The descriptions always have that column. Raises `TooManyColumns` beyond the
    `maximum`.
    """
    wanted = [column for path in paths for column in _wanted(wire, path, language)]
    keys = _keys({column.place.column for column in wanted if _is_whole_map(column)}, elements, maximum)
    columns: dict[str, NamedField] = {}
    for column in wanted:
        for known in _entries(column, keys, language) if _is_whole_map(column) else (column,):
            columns.setdefault(known.path, known)
    if maximum is not None and len(columns) > maximum:
        raise TooManyColumns(maximum)
    return list(columns.values())


def keys_of(place: Place, elements: QuerySet[Any]) -> list[str]:
    """Return the keys that any of the `elements` has in the map at `place`; one query."""
    return sorted(_keys({place.column}, elements, None)[place.column])


def _wanted(wire: Wire, path: str, language: str) -> Iterator[NamedField]:
    """Return the columns that `path` means; a whole map's column has no key yet."""
    if path in (DEFAULT_DESCRIPTION, DESCRIPTIONS):
        yield NamedField(path, wire.places[DESCRIPTIONS], language)
        return
    found = wire.find(path)
    if isinstance(found, ObjectNode):
        for place in wire.places.values():
            if place.path.startswith(f"{path}."):
                yield NamedField(place.path, place)
    elif found is not None:
        yield NamedField(path, found)
    else:
        group, _, key = path.partition(".")
        yield NamedField(path, wire.places[group], None if key == WHOLE_MAP else key)


def _is_whole_map(column: NamedField) -> bool:
    return column.place.is_map and column.key is None


def _entries(column: NamedField, keys: Mapping[str, set[str]], language: str) -> Iterator[NamedField]:
    found = keys[column.place.column] | ({language} if column.place.leaf.required else set())
    for key in sorted(found, key=lambda key: (key != language, key)):
        yield replace(column, path=f"{column.place.path}.{key}", key=key)


def _keys(maps: Collection[str], elements: QuerySet[Any], maximum: int | None) -> dict[str, set[str]]:
    """Return the keys in each of the columns `maps` of the `elements`; one query. Raises `TooManyColumns`."""
    keys: dict[str, set[str]] = {column: set() for column in maps}
    if not keys:
        return keys
    is_page = elements.query.is_sliced
    chosen = elements if is_page else elements.order_by()
    try:
        sql, parameters = chosen.values_list(*keys).query.sql_with_params()
    except EmptyResultSet:
        return keys
    connection = connections[elements.db]
    is_postgresql = connection.vendor == "postgresql"
    query = _keys_in_postgresql(sql, keys, is_page=is_page) if is_postgresql else _keys_in_sqlite(sql, keys)
    with closing(streamed_rows(connection, query, parameters)) as rows:
        for row in rows:
            for found, text in zip(keys.values(), row, strict=True):
                found.update(orjson.loads(text or "[]"))
            if maximum is not None and sum(map(len, keys.values())) > maximum:
                raise TooManyColumns(maximum)
    return keys


# Both return, for each map, JSON whose members are keys, or keys with their entries, in one or more rows.


def _keys_in_postgresql(chosen: str, maps: Iterable[str], *, is_page: bool) -> str:
    """Return the keys of a few elements, then of the others that have more, because collecting all takes longer.

    A page is selected once, because it might be different the next time.
    """
    usual = ", ".join(f"ARRAY(SELECT DISTINCT JSONB_OBJECT_KEYS({column}) FROM few) AS {column}" for column in maps)
    more = [f"chosen.{column} - usual.{column}" for column in maps]
    has_more = " OR ".join(f"{rest} <> '{{}}'" for rest in more)
    return (
        f"WITH chosen AS {'' if is_page else 'NOT '}MATERIALIZED ({chosen}), "
        f"few AS (SELECT * FROM chosen LIMIT {_USUAL}), usual AS (SELECT {usual}) "
        f"SELECT {', '.join(f'TO_JSONB({column})::text' for column in maps)} FROM usual UNION ALL "
        f"SELECT {', '.join(f'({rest})::text' for rest in more)} FROM chosen CROSS JOIN usual "
        f"WHERE {has_more}"
    )


def _keys_in_sqlite(chosen: str, maps: Iterable[str]) -> str:
    found = (
        f"(SELECT JSON_GROUP_ARRAY(DISTINCT entry.key) FROM chosen CROSS JOIN JSON_EACH(chosen.{column}) AS entry)"
        for column in maps
    )
    return f"WITH chosen AS ({chosen}) SELECT {', '.join(found)}"
