"""Model fields whose text compares alike on every database (design/filter.md)."""

from typing import TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

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
