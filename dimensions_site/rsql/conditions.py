"""The conditions that filters are made of, the same on SQLite and PostgreSQL.

The templates of the classes are those for SQLite.
"""

import re
from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.expressions import Combinable, Expression
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.rsql.expressions import Fold, Sql


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


class Narrowed(Func):
    """The second of two conditions, where the first holds wherever it does, and is told sooner."""

    template = "(%(expressions)s)"
    arg_joiner = " AND "
    arity = 2
    output_field = BooleanField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        # Of how many rows the first holds PostgreSQL knows by its index. Of the second it would guess that it holds for
        # one of two hundred of these, and read whole tables for the first page of a word that all of them have.
        return self.as_sql(compiler, connection, template="(%(expressions)s, FALSE))", arg_joiner=" AND COALESCE(")


class NarrowedByIndex(Narrowed):
    """The same, where the first is told sooner by an index of PostgreSQL only."""

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        _, condition = self.get_source_expressions()
        sql, parameters = compiler.compile(condition)
        return sql, tuple(parameters)


def narrowed(condition: Func, column: str, text: str, *, folded: bool) -> Func:
    """The `condition`, which says that a text in the JSON column contains `text`, in a form for the index of searches.

    What a text contains its JSON contains as JSON, and what it contains in one case (not `folded`) in any case, too.
    """
    if _TRIGRAM.search(text) is None:
        return condition
    in_json = Contains(Fold(Cast(F(column), TextField())), Fold(Needle(encode_basestring(text)[1:-1])))
    return (Narrowed if folded else NarrowedByIndex)(in_json, condition)


def narrowed_by_case(condition: Func, subject: Combinable, text: str) -> Func:
    """The same of a `subject` that has such an index itself: what is in it in one case is so in any case, too."""
    if _TRIGRAM.search(text) is None:
        return condition
    return NarrowedByIndex(Contains(Fold(subject), Fold(Needle(text))), condition)


# The index knows texts by what three letters or digits they have next to each other.
_TRIGRAM = re.compile(r"[^\W_]{3}")


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
