"""The history of elements: one row for every version, whichever way it was written (contract C18)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet

from dimensions_site.compiled import repeating_cursor
from dimensions_site.elements.actors import Stamp
from dimensions_site.elements.models import Element

CREATED, CHANGED, DELETED = "+", "~", "-"

# The columns of what is `_told`.
_TOLD_IN = ("history_type", "history_date", "history_user_id", "history_actor", "history_origin")


def record(rows: QuerySet[Any], kind: str, stamp: Stamp) -> None:
    """Copy the elements `rows`, as they are now, to the history, in one statement of the caller's transaction.

    `kind` is CREATED, CHANGED or DELETED. django-simple-history reads these rows as its own; its way of writing
    them row by row is many times slower.
    """
    model: type[Element] = rows.model
    chosen, parameters = rows.order_by().values(*_columns(model)).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{_copy(model)} FROM ({chosen}) AS chosen", [*_told(kind, stamp), *parameters])


def record_one(model: type[Element], key: int, kind: str, stamp: Stamp) -> None:
    """The same for the element with that primary key."""
    table = connection.ops.quote_name(model._meta.db_table)
    with repeating_cursor(connection) as cursor:
        cursor.execute(f"{_copy(model)} FROM {table} WHERE id = %s", [*_told(kind, stamp), key])


@cache
def _copy(model: type[Element]) -> str:
    """The statement as far as what it copies from; its parameters are what is `_told`."""
    quote = connection.ops.quote_name
    columns = [quote(column) for column in _columns(model)]
    history: type[Model] = model.history.model
    return (
        f"INSERT INTO {quote(history._meta.db_table)} ({', '.join([*columns, *map(quote, _TOLD_IN)])}) "
        f"SELECT {', '.join([*columns, *['%s'] * len(_TOLD_IN)])}"
    )


def _columns(model: type[Element]) -> list[str]:
    return [column.attname for column in model._meta.concrete_fields]


def _told(kind: str, stamp: Stamp) -> Sequence[Any]:
    """What a version tells beside the values of the element."""
    at = connection.ops.adapt_datetimefield_value(stamp.at)
    return kind, at, stamp.actor.user_key, stamp.actor.name, stamp.actor.origin.value
