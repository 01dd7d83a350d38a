"""Adds SQL functions to SQLite: case folding beyond ASCII, an alphabetical order, and exact decimals."""

import unicodedata
from collections.abc import Callable
from typing import Any

from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from dimensions_site.text.formats import sort_key


class RsqlConfig(AppConfig):
    name = "dimensions_site.rsql"
    label = "rsql"

    def ready(self) -> None:
        connection_created.connect(_add_functions, dispatch_uid="dimensions_site.rsql")


def _add_functions(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    if connection.vendor == "sqlite":
        # Deterministic: SQLite computes a constant once per query, and may use the function in an index.
        functions = {"rsql_fold": fold, "rsql_alphabetical": unaccented, "rsql_decimal": sort_key}
        for name, function in functions.items():
            connection.connection.create_function(name, 1, _null_safe(function), deterministic=True)


def _null_safe(function: Callable[[str], str]) -> Callable[[str | None], str | None]:
    return lambda text: None if text is None else function(text)


def fold(text: str) -> str:
    """Return a form that is equal for texts which differ only in case (contract D2).

    Both steps are needed: the Kelvin sign equals `k` only in lower case, the two small sigmas only in upper case.
    Python and ICU agree on these mappings for all code points that both know; they do not on `str.casefold`.
    """
    return text.lower().upper()


def unaccented(text: str) -> str:
    """Return a key that sorts texts without regard to case and accents."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(letter for letter in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(letter))
