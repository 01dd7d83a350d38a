"""The conditions that filters are made of, the same on SQLite and PostgreSQL.

The templates of the classes are those for SQLite.
"""

import re
from collections.abc import Iterable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Func, TextField, Value
from django.db.models.expressions import Combinable, Expression
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.rsql.expressions import Sql


def compare(value: Combinable, symbol: str, constant: Any) -> Func:
    """`value symbol constant`, where `symbol` is one of the SQL signs `<`, `<=`, `>`, `>=`."""
    return Func(
        value,
        Value(constant),
        template="%(expressions)s",
        arg_joiner=f" {symbol} ",
        output_field=BooleanField(),
    )


def one_of(value: Combinable, constants: Iterable[Any]) -> Func:
    """`value` equals one of `constants`, of which there is at least one."""
    listed = Func(*map(Value, constants), template="(%(expressions)s)")
    return Func(value, listed, template="%(expressions)s", arg_joiner=" IN ", output_field=BooleanField())


def is_set(value: Combinable) -> Func:
    """`value` is not NULL."""
    return Func(value, template="%(expressions)s IS NOT NULL", output_field=BooleanField())


def complement(condition: Func) -> Func:
    """Holds exactly where `condition` does not, also where SQL would answer NULL (contract D2)."""
    return Func(condition, template="(%(expressions)s) IS NOT TRUE", output_field=BooleanField())


class Needle(Value):
    """A text to look for inside others: on PostgreSQL as a pattern of LIKE, without any wildcard of its own."""

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        escaped = re.sub(r"([\\%_])", r"\\\1", self.value)
        return "%s", [f"%{escaped}%"]


class Contains(Func):
    """A text contains a `Needle`; LIKE on PostgreSQL, so that a trigram index can serve it."""

    # LIKE of SQLite takes upper and lower case of ASCII for the same; INSTR does not.
    template = "INSTR(%(expressions)s) > 0"
    arity = 2
    output_field = BooleanField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(compiler, connection, template="%(expressions)s", arg_joiner=" LIKE ")


class EntryText(Expression):
    """The text of the entry that `AnyEntry` looks at, NULL for a null."""

    output_field = TextField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return "entry.value", []

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return 'entry.value COLLATE "C"', []


class AnyEntry(Func):
    """A condition on `EntryText` holds for some entry of a JSON object (contract D3); never NULL."""

    template = "EXISTS(SELECT 1 FROM JSON_EACH(%(expressions)s)"
    arg_joiner = ") AS entry WHERE "
    arity = 2
    output_field = BooleanField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(
            compiler,
            connection,
            template="EXISTS(SELECT 1 FROM JSONB_EACH_TEXT(%(expressions)s)",
            arg_joiner=") AS entry(key, value) WHERE ",
        )
