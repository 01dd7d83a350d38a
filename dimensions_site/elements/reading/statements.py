"""Lists of elements, whose SQL is composed once for each shape of a request: later requests only bind their values.

Composing takes Django longer than PostgreSQL takes for a page. All rows are read by one query, with constant memory
(contract D7).
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet

from dimensions_site.api.lists import SkipTake
from dimensions_site.changes.states import State
from dimensions_site.changes.versions import change_sets_after, versions_at, versions_before
from dimensions_site.db.compiled import Columns, CompiledColumns, Param, bound
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.reading.filters import KEPT_LENGTH, KEPT_SHAPES, CompiledFilter, ElementFilter
from dimensions_site.elements.reading.lookup import rows_statement
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.elements.reading.uses import without_uses
from dimensions_site.observability.observation import count_rows
from dimensions_site.rsql.compiler import parse_sort

# The numbers in a statement that stand for those of a page.
_SKIP, _TAKE = 10**15 + 1, 10**15 + 2


def _rows(filter: CompiledFilter, is_unused: bool, is_past: bool) -> QuerySet[Any]:
    """Return the elements that lists of one shape select: those of a given state if it `is_past`."""
    model, repository = filter.dimension.model, Param("repository")
    if is_past:
        rows: QuerySet[Any] = versions_before(model.versions_of(repository), change_sets_after())
    else:
        rows = model.of(repository)
    if is_unused:
        rows = without_uses(rows, filter.dimension, repository)
    return rows.filter(filter.condition())


@lru_cache(KEPT_SHAPES)
def _count(filter: CompiledFilter, is_unused: bool, is_past: bool) -> tuple[str, Sequence[Any]]:
    counted = _rows(filter, is_unused, is_past).values_list(Columns("COUNT(*)", ()))
    sql, parameters = counted.query.get_compiler(DEFAULT_DB_ALIAS, elide_empty=False).as_sql()
    return sql, parameters


@lru_cache(KEPT_SHAPES)
def _page(
    filter: CompiledFilter,
    is_unused: bool,
    is_past: bool,
    sort: str | None,
    columns: CompiledColumns,
    *,
    skips: bool,
    takes: bool,
) -> tuple[str, Sequence[Any]]:
    """Return the SQL of a page with these `columns`, whether it `skips` and `takes` some, and its bind parameters."""
    keys = [] if sort is None else parse_sort(sort, filter.fields)
    rows = _rows(filter, is_unused, is_past).order_by(*keys, "element_id")
    start = _SKIP if skips else 0
    rows.query.set_limits(start, start + _TAKE if takes else None)
    return rows_statement(rows, columns, connections[DEFAULT_DB_ALIAS])


@dataclass(frozen=True)
class Selection:
    """A page of the elements that the `filter` selects, in the order of `sort`.

    They are those in the `state`, if it is given, and read from the database with the name `db`.
    """

    filter: ElementFilter
    sort: str | None = None
    is_unused: bool = False
    state: State | None = None
    paging: SkipTake = field(default_factory=SkipTake)
    db: str = DEFAULT_DB_ALIAS

    @property
    def rows(self) -> QuerySet[Any]:
        dimension, repository = self.filter.dimension, self.filter.repository
        if self.state is None:
            rows: QuerySet[Any] = dimension.model.of(repository).using(self.db)
        else:
            rows = versions_at(dimension.model.versions_of(repository).using(self.db), self.state)
        if self.is_unused:
            rows = without_uses(rows, dimension, repository)
        page: QuerySet[Any] = self.filter.filterset(rows, self.sort).qs[self.paging.window]
        return page

    @property
    def model(self) -> type[Model]:
        model = self.filter.dimension.model
        return model if self.state is None else model.version_model

    def count(self) -> int:
        """Return the number of elements on all pages; one query."""
        compose = _count if self._is_short else _count.__wrapped__
        sql, parameters = compose(*self._shape)
        # Its plan is not kept: one for any value would read a table for a rare one.
        with connections[self.db].cursor() as cursor:
            cursor.execute(sql, bound(parameters, self._given))
            return int(cursor.fetchone()[0])

    def statement(self, columns: CompiledColumns) -> tuple[str, Sequence[Any]]:
        """Return the SQL for the `columns`, and its bind parameters. Raises `EmptyResultSet` for an empty page."""
        skip, take = self.paging.skip, self.paging.take
        if take == 0:
            raise EmptyResultSet
        compose = _page if self._is_short else _page.__wrapped__
        sql, parameters = compose(*self._shape, self.sort, columns, skips=skip > 0, takes=take is not None)
        return sql.replace(str(_SKIP), str(skip)).replace(str(_TAKE), str(take)), bound(parameters, self._given)

    @property
    def _is_short(self) -> bool:
        return len(self.filter.text or "") + len(self.sort or "") <= KEPT_LENGTH

    @property
    def _shape(self) -> tuple[CompiledFilter, bool, bool]:
        return self.filter.compiled, self.is_unused, self.state is not None

    @property
    def _given(self) -> dict[str, Any]:
        given = {"repository": self.filter.repository.pk} if self.state is None else self.state.given()
        return given | self.filter.given


def read_texts(renderer: Renderer, elements: QuerySet[Any] | Selection) -> Generator[str]:
    """Yield the JSON texts of all elements."""
    for row in read_values(elements, renderer.columns(elements.model)):
        yield renderer.written(row)


def read_values(elements: QuerySet[Any] | Selection, columns: CompiledColumns) -> Iterator[Sequence[Any]]:
    """Yield the values of the `columns` for each element."""
    connection = connections[elements.db]
    try:
        if isinstance(elements, QuerySet):
            sql, parameters = rows_statement(elements, columns, connection)
        else:
            sql, parameters = elements.statement(columns)
    except EmptyResultSet:  # Django knows that no row can meet the conditions
        return
    yield from read_rows(sql, parameters, columns, connection)


def read_rows(
    sql: str, parameters: Sequence[Any], columns: CompiledColumns, connection: BaseDatabaseWrapper
) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query of the `columns`."""
    with closing(streamed_rows(connection, sql, parameters)) as rows:
        for row in count_rows(rows):
            yield columns.convert(row, connection)
