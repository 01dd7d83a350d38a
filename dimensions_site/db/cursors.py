"""Close cursors after failed statements on SQLite."""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper


def close_failed_cursors(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Close the cursor of each failed statement at once; called for each new connection.

    A Django error and its traceback refer to each other, and the traceback refers to the cursor, so Python frees it at
    some later time, in any thread. Freeing an open cursor takes the lock of its connection, whose thread may hold it
    while it waits for SQLite's write lock. If the freeing thread is the writer, both threads wait for each other, and
    the whole service with them, until one stops waiting: after an hour in a bulk save.
    """
    if connection.vendor == "sqlite" and _closing not in connection.execute_wrappers:
        connection.execute_wrappers.append(_closing)


def _closing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    try:
        return execute(sql, params, many, context)
    except Exception:
        context["cursor"].close()
        raise
