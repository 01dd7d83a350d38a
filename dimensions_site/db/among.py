"""Conditions on many values, which another query finds or which are passed as an array."""

import json
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.db.compiled import Param


class _Rows(Subquery):
    """A query within another one.

    If Django knows that it finds nothing, it raises `EmptyResultSet`, which a condition turns into false. Otherwise
    `Func` writes `IN NULL`, a syntax error.
    """

    empty_result_set_value: Any = NotImplemented


class Among(Func):
    """Whether the `column` has one of the values that `query` finds, each of which is looked up in an index.

    PostgreSQL must estimate how many there are. If it expects too many, it reads the whole table instead. The values
    of an array are looked up, because their number is not part of the plan.
    """

    template = "(%(expressions)s)"
    arg_joiner = " IN "
    output_field = BooleanField()
    conditional = True

    def __init__(self, column: str, query: QuerySet[Any] | RawSQL) -> None:
        super().__init__(F(column), _Rows(query) if isinstance(query, QuerySet) else query)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        return self.as_sql(compiler, connection, template="(%(expressions)s))", arg_joiner=" = ANY(ARRAY")


class NotAmong(Among):
    """Whether the `column` has none of the values that `query` finds.

    PostgreSQL expects few values in any array, so it hashes them. Without the array it would compare each row with
    each value if its statistics knew nothing of them.
    """

    arg_joiner = " NOT IN "

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        return self.as_sql(
            compiler, connection, template="(%(expressions)s)))", arg_joiner=" NOT IN (SELECT unnest(ARRAY"
        )


class AmongGiven(Func):
    """Whether the `column` has one of the values of an array, which is passed when the query is executed."""

    # In JSON; PostgreSQL has arrays.
    template = "%(expressions)s))"
    arg_joiner = " IN (SELECT value FROM json_each("
    output_field = BooleanField()
    conditional = True

    def __init__(self, column: str, array: Param) -> None:
        super().__init__(F(column), array)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        return self.as_sql(compiler, connection, template="%(expressions)s)", arg_joiner=" = ANY(")


def array_of(values: Collection[UUID | int]) -> Any:
    """Return the `values` for `AmongGiven`."""
    if connection.vendor == "postgresql":
        return list(values)
    return json.dumps([value.hex if isinstance(value, UUID) else value for value in values])
