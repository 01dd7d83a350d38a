"""SQL expressions of fields that are not plain columns, with the same results on SQLite and PostgreSQL.

All work in `filter()`, `order_by()` and `annotate()`, and are NULL for unset values. The class attributes `template`
are those for SQLite.
"""

from collections.abc import Sequence
from typing import Any, Literal

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.sql.compiler import SQLCompiler

from dimensions_site.text.formats import DECIMAL_PATTERN, KEY_DIGITS, OFFSET, SCALE

Sql = tuple[str, Sequence[Any]]

# `apps.fold` in SQL. ICU: the mappings of other collations cover only some languages.
POSTGRESQL_FOLD = 'UPPER(LOWER(({}) COLLATE "und-x-icu")) COLLATE "C"'


class MapEntry(Func):
    """The text under `key` in a column with a JSON object of texts; NULL if it is null or missing.

    Any `key` is safe. Compared and sorted by code point.
    """

    # SQLite's JSON paths cannot express every key (quotes, escapes), so compare keys instead.
    template = "(SELECT entry.value FROM JSON_EACH(%(expressions)s)"
    arg_joiner = ") AS entry WHERE entry.key = "
    output_field = TextField()

    def __init__(self, column: str, key: str) -> None:
        super().__init__(F(column), Value(key))

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(compiler, connection, template='(%(expressions)s) COLLATE "C"', arg_joiner=" ->> ")


class JsonLeaf(Func):
    """The text, enum or boolean (its `ValueKind`) at `path` in a JSON column; NULL if it or a group around it is unset.

    Raises ValueError for another kind, and if `path` is not made of identifiers, which are put into the SQL unquoted.
    """

    def __init__(self, column: str, path: tuple[str, ...], kind: str) -> None:
        if not path or not all(segment.isascii() and segment.isidentifier() for segment in path):
            raise ValueError(f"The path {path} is not made of identifiers.")
        if kind not in ("text", "enum", "boolean"):
            raise ValueError(f"A leaf of JSON is a text, an enum or a boolean, not of kind {kind}.")
        super().__init__(
            F(column),
            template=f"JSON_EXTRACT(%(expressions)s, '$.{'.'.join(path)}')",
            output_field=BooleanField() if kind == "boolean" else TextField(),
        )
        self.path = path
        self.kind = kind

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        leaf = f"(%(expressions)s #>> '{{{','.join(self.path)}}}')"
        typed = f"{leaf}::boolean" if self.kind == "boolean" else f'{leaf} COLLATE "C"'
        return self.as_sql(compiler, connection, template=typed)


class InstantText(Func):
    """The text of an instant in responses: of elements with `+0000`, else with the `zone` Z (contract C11, M6)."""

    template = "STRFTIME('%%%%Y-%%%%m-%%%%dT%%%%H:%%%%M:%%%%f%(zone)s', %(expressions)s)"
    arity = 1
    output_field = TextField()

    def __init__(self, value: Combinable, zone: Literal["+0000", "Z"] = "+0000") -> None:
        super().__init__(value, zone=zone)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        form = """'YYYY-MM-DD"T"HH24:MI:SS.MS"%(zone)s"'"""
        return self.as_sql(compiler, connection, template=f"TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', {form})")


class DecimalKey(Func):
    """The sort key (`formats.sort_key`) of decimal text: as text it sorts in the order of the numbers.

    Words in place of numbers sort after all numbers.
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
    """A text as `apps.fold` returns it: equal for texts that differ only in case (contract D2)."""

    function = "rsql_fold"
    arity = 1
    output_field = TextField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(compiler, connection, template=POSTGRESQL_FOLD.format("%(expressions)s"))


class Alphabetical(Func):
    """The key by which people sort texts: without regard to case and accents, in the alphabet of a language.

    On SQLite (`apps.alphabetical`) the alphabet is that of most languages. Texts that differ have the same key
    if only case and accents differ.
    """

    function = "rsql_alphabetical"
    arity = 1
    output_field = TextField()

    def __init__(self, text: Combinable, language: str) -> None:
        if not (language.isascii() and language.isalpha()):
            raise ValueError(f"{language!r} is not a language.")
        super().__init__(text)
        self._collation = f"{language}-x-icu"

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return self.as_sql(compiler, connection, template=f'(%(expressions)s) COLLATE "{self._collation}"')
