"""The history of elements: one row for every version, however it was written (contract C18)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet

from dimensions_site.db.compiled import repeating_cursor
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.actors import Provenance

CREATED, CHANGED, DELETED = "+", "~", "-"

_METADATA_COLUMNS = ("history_type", "history_date", "history_user_id", "history_actor", "history_origin")


def record(rows: QuerySet[Any], kind: str, provenance: Provenance) -> None:
    """Copy the current values of the elements `rows` to the history, in one statement of the current transaction.

    `kind` is CREATED, CHANGED or DELETED. django-simple-history reads these rows as its own; writing them one by one,
    as it does, is many times slower.
    """
    model: type[Element] = rows.model
    chosen, parameters = rows.order_by().values(*_columns(model)).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{_copy(model)} FROM ({chosen}) AS chosen", [*_metadata(kind, provenance), *parameters])


def record_one(model: type[Element], key: int, kind: str, provenance: Provenance) -> None:
    """Copy the current values of the element with this primary key to the history."""
    table = connection.ops.quote_name(model._meta.db_table)
    with repeating_cursor(connection) as cursor:
        cursor.execute(f"{_copy(model)} FROM {table} WHERE id = %s", [*_metadata(kind, provenance), key])


@cache
def _copy(model: type[Element]) -> str:
    """Return the statement without its source of values; its parameters are those of `_metadata`."""
    quote = connection.ops.quote_name
    columns = [quote(column) for column in _columns(model)]
    history: type[Model] = model.history.model
    return (
        f"INSERT INTO {quote(history._meta.db_table)} ({', '.join([*columns, *map(quote, _METADATA_COLUMNS)])}) "
        f"SELECT {', '.join([*columns, *['%s'] * len(_METADATA_COLUMNS)])}"
    )


def _columns(model: type[Element]) -> list[str]:
    return [column.attname for column in model._meta.concrete_fields]


def _metadata(kind: str, provenance: Provenance) -> Sequence[Any]:
    """Return what a version has besides the element's values."""
    at = connection.ops.adapt_datetimefield_value(provenance.at)
    return kind, at, provenance.actor.user_key, provenance.actor.name, provenance.actor.origin.value
