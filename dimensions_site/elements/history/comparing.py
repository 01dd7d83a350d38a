"""The differences between two states, of one repository or of two (contract J2)."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Exists, F, IntegerField, OuterRef, QuerySet, Value
from django.utils.functional import cached_property

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.states import State, versions_at, versions_of_differing
from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.changed_values import changes_json, counts
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.elements.reading.selection import everything, selected_plan
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class Side:
    """One of two states that are compared.

    `matching` are the versions of the repository that the client's filter selects; None selects all.
    """

    repository: Repository
    state: State
    matching: QuerySet[Any] | None = None


@dataclass
class ElementDifference:
    """An element that differs.

    `number` is that of its version before. It `is_within` a filter if it matches that on every side where it exists.
    `rows` has the values of the sides where it exists.
    """

    dimension: Dimension
    id: str
    number: int | None
    is_within: bool
    rows: Mapping[int, Sequence[Any]]

    @property
    def action(self) -> str:
        """What led from `before` to `after`."""
        return "created" if 0 not in self.rows else "deleted" if 1 not in self.rows else "changed"

    @cached_property
    def before(self) -> dict[str, Any] | None:
        """The wire JSON before, without the id and other unique fields; None if there was no element."""
        return self._side(0)

    @cached_property
    def after(self) -> dict[str, Any] | None:
        """The wire JSON after, as `before`."""
        return self._side(1)

    @property
    def names(self) -> Mapping[str, Any]:
        """The unique fields of the element after the change, other than its id: a currency's oid."""
        names = _other_names(self.dimension)
        whole = self._read(self.rows[1]) if names and 1 in self.rows else {}
        return {name: whole[name] for name in names if name in whole}

    @cached_property
    def differing(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """What of `before` and `after` differs; a value that is missing is equal, or not set."""
        if len(self.rows) < 2:
            return self.before, self.after
        old, new = _renderer(self.dimension).differing(self.rows[0], self.rows[1])
        return self._without_names(old), self._without_names(new)

    def _without_names(self, found: dict[str, Any]) -> dict[str, Any]:
        for name in _other_names(self.dimension):
            found.pop(name, None)
        return found

    def _side(self, side: int) -> dict[str, Any] | None:
        return self._without_names(self._read(self.rows[side])) if side in self.rows else None

    def _read(self, row: Sequence[Any]) -> dict[str, Any]:
        found: dict[str, Any] = orjson.loads(_renderer(self.dimension).written(row))
        return found


@dataclass(frozen=True)
class Rows:
    """One side of a comparison: at most one version of each element; `matching` as in `Side`."""

    versions: QuerySet[Any]
    matching: QuerySet[Any] | None = None


def differences(
    dimension: Dimension, before: Side, after: Side, *, using: str = DEFAULT_DB_ALIAS
) -> Generator[ElementDifference]:
    """Yield the elements that differ and that match the filter on either side, in the order of their ids.

    One query and constant memory.
    """
    old, new = _versions(dimension, before, after, using)
    sides = Rows(old, before.matching), Rows(new, after.matching)
    return differing(dimension, *sides, are_many_equal=before.repository != after.repository)


def differing(
    dimension: Dimension, before: Rows, after: Rows, *, are_many_equal: bool = False
) -> Generator[ElementDifference]:
    """Yield the elements that differ between the two sides, otherwise as `differences` does.

    If `are_many_equal`, the database leaves out equal ones.
    """
    connection = connections[before.versions.db]
    sides, parameters = [], []
    for number, rows in enumerate((before, after)):
        columns = _columns(dimension, number) if rows.matching is None else _filtered(dimension, number, rows.matching)
        query = rows.versions.order_by().values_list(columns.selected).query
        # Django knows of some sides that they have no rows.
        sql, values = query.get_compiler(connection=connection, elide_empty=False).as_sql()
        sides.append(sql)
        parameters += values
    count = len(_renderer(dimension).expressions)
    sql = _differing(connection.vendor, sides, count) if are_many_equal else _of_both(sides)
    with closing(streamed_rows(connection, sql, parameters)) as found:
        converted = (columns.convert(row, connection) for row in found)
        for id, rows_of_id in groupby(converted, itemgetter(0)):
            stored: dict[int, Sequence[Any]] = {}
            numbers: dict[int, int] = {}
            matches = []
            for _, side, is_matching, number, *row in rows_of_id:
                stored[side], numbers[side] = row, number
                matches.append(bool(is_matching))
            if any(matches) and stored.get(0) != stored.get(1):
                found_one = ElementDifference(dimension, id, numbers.get(0), all(matches), stored)
                old, new = found_one.differing
                if old != new:  # equal values may be stored as different texts
                    yield found_one


def _of_both(sides: Sequence[str]) -> str:
    """Return the query for the rows of both `sides`, by id and side."""
    return " UNION ALL ".join(f"SELECT * FROM ({sql}) AS one" for sql in sides) + " ORDER BY 1, 2"


def _differing(vendor: str, sides: Sequence[str], count: int) -> str:
    """Return the query for those rows of both `sides` that have no equal on the other, by id and side.

    A row has an id, the number of its side, whether it matches the filter, the number of its version, and `count`
    values. Comparing them costs the database as much as reading them, which pays where most elements are equal: those
    of two repositories.
    """
    values = [f"value{number}" for number in range(count)]
    names = ", ".join(["id", "side", "matches", "number", *values])
    if vendor == "postgresql":
        old, new = (f"({sql}) AS {name} ({names})" for sql, name in zip(sides, ("old", "new"), strict=True))
        olds, news = (", ".join(f"{name}.{value}" for value in values) for name in ("old", "new"))
        return (
            f"SELECT one.* FROM {old} FULL JOIN {new} ON old.id = new.id "
            "CROSS JOIN LATERAL (SELECT old.* UNION ALL SELECT new.*) AS one "
            f"WHERE (old.id IS NULL OR new.id IS NULL OR ROW({olds}) IS DISTINCT FROM ROW({news})) "
            "AND one.id IS NOT NULL ORDER BY 1, 2"
        )
    # SQLite joins fully row by row.
    rows = " UNION ALL ".join(f"SELECT * FROM ({sql}) AS one" for sql in sides)
    row = f"json_array({', '.join(values)})"
    return (
        f"WITH both_sides ({names}) AS ({rows}) SELECT * FROM both_sides WHERE id IN "
        f"(SELECT id FROM both_sides GROUP BY id HAVING count(*) = 1 OR min({row}) <> max({row})) ORDER BY 1, 2"
    )


def difference_json(dimension: Dimension, difference: ElementDifference) -> str:
    """Return the JSON of the `difference`."""
    changes = changes_json(dimension, *difference.differing)
    return f'{{"id":{json_text(difference.id)},"action":"{difference.action}","changes":{changes}}}'


@cache
def _renderer(dimension: Dimension) -> Renderer:
    """Return the renderer of the other names of an element and of the values that count as differences.

    None of them depends on a language.
    """
    wire = dimension.wire
    counting = {path.partition(".")[0] for path, place in wire.places.items() if counts(dimension, place)}
    counting.update(_other_names(dimension))
    paths = [path for path in everything(wire) if path.partition(".")[0] in counting]
    return Renderer(selected_plan(wire, paths, "en", as_stored=True))


@cache
def _other_names(dimension: Dimension) -> list[str]:
    return [name for column, name in dimension.model.unique_in_repository.items() if column != "element_id"]


@cache
def _columns(dimension: Dimension, side: int) -> CompiledColumns:
    """Return the columns of a row: the id, its side, whether it matches the filter, its version, and the values."""
    return _compiled(dimension, side, Value(1, IntegerField()))


def _filtered(dimension: Dimension, side: int, matching: QuerySet[Any]) -> CompiledColumns:
    return _compiled(dimension, side, Exists(matching.order_by().filter(pk=OuterRef("pk"))))


def _compiled(dimension: Dimension, side: int, matches: Any) -> CompiledColumns:
    values = [F("element_id"), Value(side, IntegerField()), matches, F("number"), *_renderer(dimension).expressions]
    return CompiledColumns(dimension.model.version_model, values)


def _versions(dimension: Dimension, before: Side, after: Side, using: str) -> list[QuerySet[Any]]:
    """Return the versions that each side's state had, at least of the elements that may differ."""
    old, new = (dimension.model.versions_of(side.repository).using(using) for side in (before, after))
    if before.repository == after.repository:
        return versions_of_differing(new, before.state, after.state)
    return [versions_at(old, before.state), versions_at(new, after.state)]
