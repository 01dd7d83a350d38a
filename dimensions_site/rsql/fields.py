"""Fields for filters and sort orders: their description, which the owner of a model provides, and their columns."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, F


class ValueKind(enum.StrEnum):
    """The type of a field's values, which determines how filters parse and compare them (contract D4)."""

    TEXT = "text"
    ENUM = "enum"
    INTEGER = "integer"
    # A decimal number stored as text, with the digits as sent.
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    # A JSON object of texts or nulls; a condition on it is true if it is true for any entry.
    TEXT_MAP = "text map"


@dataclass(frozen=True)
class Field:
    """One wire field and its SQL expression.

    `expression` is its SQL value, NULL if unset: `F("column")` or an expression of the module `expressions`.
    """

    path: str
    kind: ValueKind
    expression: Expression | F
    # ENUM: the stored values. DECIMAL: words that may replace a number.
    choices: tuple[str, ...] = ()
    # ENUM: alternative spelling -> stored value.
    spellings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # INTEGER: the smallest and the largest stored value.
    bounds: tuple[int, int] | None = None
    # ENUM: any other text is also accepted.
    open_text: bool = False
    # False: the field can only be sorted by.
    filterable: bool = True
    # The JSON column that contains the text and has an index for containment.
    searched: str | None = None
    # The text in responses, if it is another than that of its kind; containment searches it.
    answered: Expression | None = None
    # True: case-insensitive containment in the text has an index.
    indexed: bool = False
    # False: the column is never NULL, which simplifies the SQL.
    nullable: bool = True


class FieldTable(Protocol):
    """The fields of one kind of element, by any accepted name."""

    def resolve(self, selector: str) -> Field:
        """Return the field that `selector` names, in any accepted spelling; raises `errors.UnknownField`."""
        ...


_Set = TypeVar("_Set", contravariant=True)
_Get = TypeVar("_Get", covariant=True)


class CodePointTextField(models.TextField[_Set, _Get]):
    """Text that the database compares and sorts by Unicode code point (contract D5).

    This is SQLite's default; PostgreSQL needs the collation "C". The collation is set when the column is created, so
    one migration serves both databases.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, str | None]:
        parameters: dict[str, str | None] = super().db_parameters(connection)
        parameters["collation"] = "C" if connection.vendor == "postgresql" else None
        return parameters
