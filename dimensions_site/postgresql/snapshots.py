"""Model instances that are read while they are sent; rows of plain values have `streaming`."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper


def snapshot(connection: BaseDatabaseWrapper) -> AbstractContextManager[Any]:
    """Keep a streamed query to one state of the data and to flat memory.

    From PostgreSQL Django fetches instances in chunks only inside a transaction.
    SQLite streams anyway, and a transaction would take its write lock.
    """
    if connection.vendor != "postgresql":
        return nullcontext()
    return transaction.atomic(using=connection.alias, savepoint=False)
