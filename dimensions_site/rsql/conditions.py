"""The SQL conditions of filters, with the same results on SQLite and PostgreSQL.

The class attributes `template` are those for SQLite.
"""

import re
from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import Any, TypeAlias

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.expressions import Combinable, Expression
from django.db.models.functions import Cast
from django.db.models.lookups import In, Lookup
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.db.compiled import Param, encode_value
from dimensions_site.rsql.expressions import Fold, Sql

Condition: TypeAlias = Func | Lookup[Any]


def constant(value: Any) -> Value | Param:
    """Return the expression of a `value`; a bind parameter is one."""
    return value if isinstance(value, Param) else Value(value)


def is_one_of(value: Combinable, constants: Iterable[Any]) -> In:
    """Return the condition that `value` equals one of `constants`, which must not be empty."""
    return In(value, list(map(constant, constants)))


def complement(condition: Condition) -> Func:
    """Return the negation of `condition`, which is true where `condition` is NULL (contract D2)."""
    return Func(condition, template="(%(expressions)s) IS NOT TRUE", output_field=BooleanField())


class Needle(Expression):
    """A text to search for; on PostgreSQL a LIKE pattern with its wildcards escaped."""

    output_field = TextField()

    def __init__(self, text: str | Param) -> None:
        super().__init__()
        self._text = text

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        return "%s", (encode_value(self._text),)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return "%s", [encode_value(self._text, _pattern)]


def _pattern(text: str) -> str:
    escaped = re.sub(r"([\\%_])", r"\\\1", text)
    return f"%{escaped}%"


class Contains(Func):
    """A text contains a `Needle`; LIKE on PostgreSQL, which can use a trigram index."""

    # SQLite's LIKE ignores the case of ASCII letters; INSTR does not.
    template = "INSTR(%(expressions)s) > 0"
    arity = 2
    output_field = BooleanField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(compiler, connection, template="%(expressions)s", arg_joiner=" LIKE ")


class Narrowed(Func):
    """The second of two conditions; on PostgreSQL after the first, which it implies and which an index makes faster."""

    arity = 2
    output_field = BooleanField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        _, condition = self.get_source_expressions()
        sql, parameters = compiler.compile(condition)
        return sql, tuple(parameters)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        # PostgreSQL estimates the first condition by its index. For the second it would assume one row in two hundred,
        # and read whole tables for the first page of a frequent word; COALESCE hides it from the planner.
        return self.as_sql(compiler, connection, template="(%(expressions)s, FALSE))", arg_joiner=" AND COALESCE(")


def narrow(condition: Condition, column: str, text: str | Param) -> Condition:
    """Return `condition`, that a text in the JSON column contains `text`, in a form that can use the search index.

    If a text contains `text`, its JSON contains the JSON of `text`, and also if case is ignored. It pays if `text` has
    a trigram.
    """
    in_json = Contains(Fold(Cast(F(column), TextField())), Fold(Needle(encode_value(text, _inside_json))))
    return Narrowed(in_json, condition)


def _inside_json(text: str) -> str:
    return encode_basestring(text)[1:-1]


def narrow_by_case(condition: Condition, subject: Combinable, text: str | Param) -> Condition:
    """Return the same for a `subject` with its own case-insensitive index."""
    return Narrowed(Contains(Fold(subject), Fold(Needle(text))), condition)


def has_trigram(text: str) -> bool:
    """Return whether a trigram index can find the `text`: it needs three adjacent letters or digits."""
    return _TRIGRAM.search(text) is not None


_TRIGRAM = re.compile(r"[^\W_]{3}")


class EntryText(Expression):
    """The text of the current entry in `AnyEntry`, NULL for null."""

    output_field = TextField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return "entry.value", []

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return 'entry.value COLLATE "C"', []


class AnyEntry(Func):
    """True if a condition on `EntryText` holds for any entry of a JSON object (contract D3); never NULL."""

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
