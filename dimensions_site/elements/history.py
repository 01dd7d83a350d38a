"""The history of elements: one row for every version, whichever way it was written (contract C18)."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet

from dimensions_site.elements.actors import Stamp

CREATED, CHANGED, DELETED = "+", "~", "-"


def record(rows: QuerySet[Any], kind: str, stamp: Stamp) -> None:
    """Copy the elements `rows`, as they are now, to the history, in one statement of the caller's transaction.

    `kind` is CREATED, CHANGED or DELETED. django-simple-history reads these rows as its own; its way of writing
    them row by row is many times slower.
    """
    model = rows.model
    quote = connection.ops.quote_name
    columns = [quote(column.attname) for column in model._meta.concrete_fields]
    told = {
        "history_type": kind,
        "history_date": connection.ops.adapt_datetimefield_value(stamp.at),
        "history_user_id": stamp.actor.user_key,
        "history_actor": stamp.actor.name,
        "history_origin": stamp.actor.origin.value,
    }
    chosen, parameters = rows.order_by().values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(model.history.model._meta.db_table)} ({', '.join([*columns, *map(quote, told)])}) "
            f"SELECT {', '.join([*columns, *['%s'] * len(told)])} FROM {quote(model._meta.db_table)} "
            f"WHERE {quote(model._meta.pk.attname)} IN ({chosen})",
            [*told.values(), *parameters],
        )
