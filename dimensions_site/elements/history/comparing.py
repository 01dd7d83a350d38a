"""The differences between two states, of one repository or of two (contract J2)."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F, IntegerField, QuerySet, Value
from django.utils.functional import cached_property

from dimensions_site.changes.states import State
from dimensions_site.changes.versions import (
    change_sets_after,
    change_sets_between,
    few_between,
    versions_before,
    versions_given,
    written_in_many,
)
from dimensions_site.db.among import array_of
from dimensions_site.db.compiled import CompiledColumns, Param, bound
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.filters import KEPT_SHAPES, CompiledFilter, ElementFilter
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.elements.reading.selection import everything, selected_plan
from dimensions_site.elements.writing.differences import FieldDifference, changes_json, counts, field_differences
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class Side:
    """One of two states that are compared; `matching` is the client's filter."""

    repository: Repository
    state: State
    matching: ElementFilter


@dataclass
class DifferingElement:
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
        return "created" if 0 not in self.rows else "deleted" if 1 not in self.rows else "changed"

    @cached_property
    def before(self) -> dict[str, Any] | None:
        """The wire JSON before, without the id and other unique fields; None if there was no element."""
        return self._side(0)

    @cached_property
    def after(self) -> dict[str, Any] | None:
        return self._side(1)

    @property
    def names(self) -> Mapping[str, Any]:
        """The unique fields of the element after the change, other than its id: a currency's oid."""
        names = _other_names(self.dimension)
        whole = self._read(self.rows[1]) if names and 1 in self.rows else {}
        return {name: whole[name] for name in names if name in whole}

    @cached_property
    def values(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """The values of `before` and `after` that differ; others are left out, and those that are not set."""
        if len(self.rows) < 2:
            return self.before, self.after
        old, new = _renderer(self.dimension).differing(self.rows[0], self.rows[1])
        return self._without_names(old), self._without_names(new)

    def fields(self) -> Iterator[FieldDifference]:
        return field_differences(self.dimension.wire, *self.values)

    @property
    def changes(self) -> str:
        return changes_json(self.dimension, self.fields())

    def _without_names(self, found: dict[str, Any]) -> dict[str, Any]:
        for name in _other_names(self.dimension):
            found.pop(name, None)
        return found

    def _side(self, side: int) -> dict[str, Any] | None:
        return self._without_names(self._read(self.rows[side])) if side in self.rows else None

    def _read(self, row: Sequence[Any]) -> dict[str, Any]:
        found: dict[str, Any] = orjson.loads(_renderer(self.dimension).written(row))
        return found


def compare_states(before: Side, after: Side) -> Generator[DifferingElement]:
    """Yield the elements that differ and that match the filter on either side, in the order of their ids.

    Two queries and constant memory.
    """
    is_one_repository = before.repository == after.repository
    few = few_between(before.state, after.state) if is_one_repository else None
    compose = _statement if before.matching.is_short else _statement.__wrapped__
    compiled = [one.matching.compiled for one in (before, after)]
    sql, parameters = compose(*compiled, is_one_repository=is_one_repository, is_few=few is not None)
    given = {**before.state.given("before_"), **after.state.given("after_"), **before.matching.given}
    given["change_set"] = array_of(few or ())
    return _read(before.matching.dimension, sql, bound(parameters, given))


def compare_version_sets(
    matching: ElementFilter, before: QuerySet[Any], after: QuerySet[Any]
) -> Generator[DifferingElement]:
    """Yield what differs between two sets with at most one version of each element, otherwise as `compare_states`."""
    sql, parameters = _composed((matching.compiled, matching.compiled), (before, after))
    return _read(matching.dimension, sql, bound(parameters, matching.given))


def _read(dimension: Dimension, sql: str, parameters: Sequence[Any]) -> Generator[DifferingElement]:
    columns, connection = _columns(dimension), connections[DEFAULT_DB_ALIAS]
    with closing(streamed_rows(connection, sql, parameters)) as found:
        for id, rows_of_id in groupby(found, itemgetter(0)):
            stored: dict[int, Sequence[Any]] = {}
            numbers: dict[int, int] = {}
            matches = []
            for _, side, is_matching, number, *row in rows_of_id:
                stored[side], numbers[side] = columns.convert(row, connection), number
                matches.append(bool(is_matching))
            if any(matches) and stored.get(0) != stored.get(1):
                element = DifferingElement(dimension, id, numbers.get(0), all(matches), stored)
                old, new = element.values
                if old != new:  # equal values may be stored as different texts
                    yield element


@lru_cache(KEPT_SHAPES)
def _statement(
    before: CompiledFilter,
    after: CompiledFilter,
    *,
    is_one_repository: bool,
    is_few: bool,
) -> tuple[str, Sequence[Any]]:
    """Return the SQL that compares two states, and its bind parameters.

    In one repository it reads at least the elements that may differ. If what was written between the states `is_few`
    change sets, they are given. In two repositories the database leaves out equal elements.
    """
    sides = ("before_", "after_")
    stored = [before.dimension.model.versions_of(Param(f"{side}repository")) for side in sides]
    written = None
    if is_few:
        written = versions_given(stored[1], "change_set")
    elif is_one_repository:
        written = written_in_many(stored[1], change_sets_between())
    versions = [versions_before(one, change_sets_after(side), written) for one, side in zip(stored, sides, strict=True)]
    return _composed((before, after), versions, are_many_equal=not is_one_repository)


def _composed(
    filters: Sequence[CompiledFilter], sides: Sequence[QuerySet[Any]], *, are_many_equal: bool = False
) -> tuple[str, Sequence[Any]]:
    """Return the SQL that compares the versions of two `sides`, and its parameters.

    A row has an id, the number of its side, whether it matches the filter of the side, the number of its version, and
    its values.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    columns = _columns(filters[0].dimension)
    statements: list[str] = []
    parameters: list[Any] = []
    for number, (one, versions) in enumerate(zip(filters, sides, strict=True)):
        head = F("element_id"), Value(number, IntegerField()), one.matches(), F("number")
        query = versions.order_by().values_list(*head, columns.selected).query
        # Django knows of some sides that they have no rows.
        sql, values = query.get_compiler(connection=connection, elide_empty=False).as_sql()
        statements.append(sql)
        parameters += values
    if not are_many_equal:
        return _rows_of(statements) + " ORDER BY 1, 2", parameters
    return _unequal_rows(connection.vendor, statements, len(_renderer(filters[0].dimension).expressions)), parameters


def _unequal_rows(vendor: str, sides: Sequence[str], count: int) -> str:
    """Return the query for those rows of both `sides` that have no equal on the other, by id and side.

    A row has `count` values. Comparing them costs the database as much as reading them, which pays where most elements
    are equal: those of two repositories.
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
    row = f"json_array({', '.join(values)})"
    return (
        f"WITH both_sides ({names}) AS ({_rows_of(sides)}) SELECT * FROM both_sides WHERE id IN "
        f"(SELECT id FROM both_sides GROUP BY id HAVING count(*) = 1 OR min({row}) <> max({row})) ORDER BY 1, 2"
    )


def _rows_of(sides: Sequence[str]) -> str:
    return " UNION ALL ".join(f"SELECT * FROM ({sql}) AS one" for sql in sides)


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
def _columns(dimension: Dimension) -> CompiledColumns:
    return CompiledColumns(dimension.model.version_model, _renderer(dimension).expressions)
