"""The history of elements: one row for every version, whichever way it was written (contract C18)."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from dimensions_site.elements.models import Element, Origin

CREATED, CHANGED = "+", "~"
_KEYS_A_STATEMENT = 500


def record(
    model: type[Element],
    keys: Sequence[int],
    kind: str,
    *,
    user_key: int | None,
    actor: str,
    origin: Origin,
    at: datetime,
) -> None:
    """Copy the rows with the primary keys `keys`, as they are now, to the history, in the caller's transaction.

    `kind` is CREATED or CHANGED. django-simple-history reads these rows as its
    own; its way of writing them row by row is many times slower.
    """
    quote = connection.ops.quote_name
    columns = [quote(column.attname) for column in model._meta.concrete_fields]
    told = {
        "history_type": kind,
        "history_date": connection.ops.adapt_datetimefield_value(at),
        "history_user_id": user_key,
        "history_actor": actor,
        "history_origin": origin.value,
    }
    with connection.cursor() as cursor:
        for start in range(0, len(keys), _KEYS_A_STATEMENT):
            part = keys[start : start + _KEYS_A_STATEMENT]
            cursor.execute(
                f"INSERT INTO {quote(model.history.model._meta.db_table)} ({', '.join([*columns, *map(quote, told)])}) "
                f"SELECT {', '.join([*columns, *['%s'] * len(told)])} FROM {quote(model._meta.db_table)} "
                f"WHERE {quote(model._meta.pk.attname)} IN ({', '.join(['%s'] * len(part))})",
                [*told.values(), *part],
            )
