"""SQL values of fields that are no plain column, the same on SQLite and PostgreSQL.

All work in `filter()`, `order_by()` and `annotate()`, and give NULL when nothing is set. The templates of the classes
are those for SQLite.
"""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.rsql.decimals import DECIMAL_PATTERN, KEY_DIGITS, OFFSET, SCALE
from dimensions_site.rsql.fields import Kind

Sql = tuple[str, Sequence[Any]]


class MapEntry(Func):
    """The text under `key` in a column that holds a JSON object of texts; NULL when it is null or missing.

    Any `key` is safe. Compared and sorted by code point.
    """

    # A JSON path of SQLite cannot name every key (quotes, escaped letters); a comparison of keys can.
    template = "(SELECT entry.value FROM JSON_EACH(%(expressions)s)"
    arg_joiner = ") AS entry WHERE entry.key = "
    output_field = TextField()

    def __init__(self, column: str, key: str) -> None:
        super().__init__(F(column), Value(key))

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(compiler, connection, template='(%(expressions)s) COLLATE "C"', arg_joiner=" ->> ")


class JsonLeaf(Func):
    """The text, enum or boolean (its `kind`) at `path` in a JSON column; NULL when it or a group around it is not set.

    Raises ValueError when `path` is not made of identifiers, which go into the SQL as they are, or for another kind.
    """

    def __init__(self, column: str, path: tuple[str, ...], kind: Kind) -> None:
        if not path or not all(segment.isascii() and segment.isidentifier() for segment in path):
            raise ValueError(f"The path {path} is not made of identifiers.")
        if kind not in (Kind.TEXT, Kind.ENUM, Kind.BOOLEAN):
            raise ValueError(f"A leaf of JSON is a text, an enum or a boolean, not of kind {kind}.")
        super().__init__(
            F(column),
            template=f"JSON_EXTRACT(%(expressions)s, '$.{'.'.join(path)}')",
            output_field=BooleanField() if kind is Kind.BOOLEAN else TextField(),
        )
        self.path = path
        self.kind = kind

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        leaf = f"(%(expressions)s #>> '{{{','.join(self.path)}}}')"
        typed = f"{leaf}::boolean" if self.kind is Kind.BOOLEAN else f'{leaf} COLLATE "C"'
        return self.as_sql(compiler, connection, template=typed)


class DecimalKey(Func):
    """The sort key (`decimals.sort_key`) of decimal text: compared as text it orders as the numbers do.

    Words that may stand in place of a number sort after all numbers.
    """

    function = "rsql_decimal"
    arity = 1
    output_field = TextField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        text, parameters = compiler.compile(self.source_expressions[0])
        number = f"TRUNC(({text})::numeric * {SCALE} + {OFFSET})"
        sql = (
            f"(CASE WHEN {text} ~ '^{DECIMAL_PATTERN}$' THEN LPAD({number}::text, {KEY_DIGITS}, '0')"
            f' ELSE {text} END) COLLATE "C"'
        )
        return sql, [*parameters, *parameters, *parameters]


class Fold(Func):
    """A text as `folding.fold` gives it: equal for texts that differ by case alone (contract D2)."""

    function = "rsql_fold"
    arity = 1
    output_field = TextField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        # ICU, for the other collations know upper and lower case of some languages only.
        folded = 'UPPER(LOWER((%(expressions)s) COLLATE "und-x-icu")) COLLATE "C"'
        return self.as_sql(compiler, connection, template=folded)
