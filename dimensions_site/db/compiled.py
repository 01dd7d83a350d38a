"""Queries that are compiled once and executed many times with different values (design/reading.md).

Django compiles a query for each execution. For the queries of every request that takes longer than the database needs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet, TextField
from django.db.models.expressions import Combinable, Expression
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import cached_property


def _as_it_is(value: Any) -> Any:
    return value


class Bind(NamedTuple):
    """The place of a bind parameter in a compiled query, which keeps no tree of expressions."""

    name: str
    encode: Callable[[Any], Any]


class Param(Expression):
    """A bind parameter: the value `name` that is passed when the query is executed."""

    def __init__(self, name: str) -> None:
        super().__init__(output_field=TextField())
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        return "%s", (encode_value(self),)


def encode_value(value: Any, encode: Callable[[Any], Any] = _as_it_is) -> Any:
    """Return what `encode` returns for the `value`; of a bind parameter, the place of what it returns for its value."""
    if isinstance(value, Param):
        return Bind(value.name, encode)
    if isinstance(value, Bind):
        return Bind(value.name, lambda passed: encode(value.encode(passed)))
    return encode(value)


class Columns(Expression):
    """Several columns as one item of a SELECT: their SQL, compiled before."""

    def __init__(self, sql: str, parameters: tuple[Any, ...]) -> None:
        super().__init__(output_field=TextField())
        self._sql = sql
        self._parameters = parameters

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        return self._sql, self._parameters


class Converters:
    """Django's conversion of a row from the database, in place."""

    def __init__(self, compiler: SQLCompiler) -> None:
        found = compiler.get_converters([expression for expression, *_ in compiler.select])
        self._by_position = [(position, *converters) for position, converters in found.items()]

    def __call__(self, row: Sequence[Any], connection: BaseDatabaseWrapper) -> Sequence[Any]:
        if not self._by_position:
            return row
        values = list(row)
        for position, functions, expression in self._by_position:
            for convert in functions:
                values[position] = convert(values[position], expression, connection)
        return values


class CompiledColumns:
    """The SQL of `expressions` of a model's rows, compiled once for all queries, whatever their condition and order."""

    def __init__(self, model: type[Model], expressions: Iterable[Combinable]) -> None:
        compiler = model._base_manager.values_list(*expressions).query.get_compiler(DEFAULT_DB_ALIAS)
        compiler.pre_sql_setup()
        selected = [sql for _, sql, _ in compiler.select]
        parameters = tuple(chain.from_iterable(parameters for _, parameters in selected))
        self.sql = ", ".join(sql for sql, _ in selected)
        self.parameters = parameters
        # For `values_list`: a row of all values, which `convert` turns into Django's values.
        self.selected = Columns(self.sql, parameters)
        self.convert = Converters(compiler)


class CompiledQuery:
    """A queryset of plain values (`values_list`), compiled at its first execution; its bind parameters are `Param`.

    PostgreSQL `keeps_plan`, unless its best plan depends on the values.
    """

    def __init__(self, queryset: QuerySet[Any, Any], *, keeps_plan: bool = True) -> None:
        self._query = queryset.query
        self._keeps_plan = keeps_plan

    @cached_property
    def _compiled(self) -> tuple[str, Sequence[Any], Converters]:
        compiler = self._query.get_compiler(DEFAULT_DB_ALIAS, elide_empty=False)
        return *compiler.as_sql(), Converters(compiler)

    def first(self, *, using: str = DEFAULT_DB_ALIAS, **given: Any) -> Sequence[Any] | None:
        """Return the first row in the database `using`, or None; one query. Raises KeyError for a missing bind
        parameter.
        """
        return next(iter(self.all(using=using, **given)), None)

    def all(self, *, using: str = DEFAULT_DB_ALIAS, within: slice = slice(None), **given: Any) -> list[Sequence[Any]]:
        sql, parameters, convert = self._compiled
        connection = connections[using]
        if limit := connection.ops.limit_offset_sql(within.start or 0, within.stop):
            sql = f"{sql} {limit}"
        with repeating_cursor(connection) if self._keeps_plan else connection.cursor() as cursor:
            cursor.execute(sql, bound(parameters, given))
            return [convert(row, connection) for row in cursor.fetchall()]


def bound(parameters: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
    """Return the `parameters` with the `given` values, by name, in place of each `Param`. Raises KeyError."""
    return [value.encode(given[value.name]) if isinstance(value, Bind) else value for value in parameters]


def repeating_cursor(connection: BaseDatabaseWrapper) -> CursorWrapper:
    """Return a cursor for a frequent query: PostgreSQL keeps its plan. On SQLite, Python's driver does so anyway."""
    open_cursor: Callable[[], CursorWrapper] = getattr(connection, "repeating_cursor", connection.cursor)
    return open_cursor()
