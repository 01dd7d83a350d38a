"""Conditions on many values that another query finds."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, QuerySet, Subquery
from django.db.models.sql.compiler import SQLCompiler


class _Rows(Subquery):
    """A query within another one.

    If Django knows that it finds nothing, it raises `EmptyResultSet`, which a condition turns into false. Otherwise
    `Func` writes `IN NULL`, a syntax error.
    """

    empty_result_set_value: Any = NotImplemented


class Among(Func):
    """Whether the `column` has one of the values that `query` finds, each of which is looked up in an index.

    PostgreSQL must guess how many there are. If it guesses too many, it reads the whole table instead. The values of an
    array are looked up, because their number is not part of the plan.
    """

    template = "(%(expressions)s)"
    arg_joiner = " IN "
    output_field = BooleanField()
    conditional = True

    def __init__(self, column: str, query: QuerySet[Any]) -> None:
        super().__init__(F(column), _Rows(query))

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        """Return the condition on an array."""
        return self.as_sql(compiler, connection, template="(%(expressions)s))", arg_joiner=" = ANY(ARRAY")
