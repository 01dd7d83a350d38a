"""Lends SQLite two functions that it lacks: folding of case beyond ASCII, and exact decimals."""

from collections.abc import Callable
from typing import Any

from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from dimensions_site.rsql.decimals import sort_key
from dimensions_site.rsql.folding import fold


class RsqlConfig(AppConfig):
    name = "dimensions_site.rsql"
    label = "rsql"

    def ready(self) -> None:
        connection_created.connect(_lend_functions, dispatch_uid="dimensions_site.rsql")


def _lend_functions(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    if connection.vendor == "sqlite":
        # Deterministic: SQLite computes a constant's value once a query, and may use the function in an index.
        connection.connection.create_function("rsql_fold", 1, _of_text(fold), deterministic=True)
        connection.connection.create_function("rsql_decimal", 1, _of_text(sort_key), deterministic=True)


def _of_text(function: Callable[[str], str]) -> Callable[[str | None], str | None]:
    """`function` as SQL functions behave: NULL for NULL."""
    return lambda text: None if text is None else function(text)
