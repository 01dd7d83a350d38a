"""What is left of a statement that failed on SQLite."""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper


def close_failed_cursors(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Have the cursor of each statement that fails closed at once; called for each new connection.

    An error of Django and its traceback hold each other, and the traceback holds the cursor. So Python frees it at
    some later time in any thread, and freeing one that is still open takes the lock of its connection, which the
    other thread keeps while it waits for SQLite's one writer. If that writer is the thread that frees, both wait
    for each other, and with them the whole service: until the other one's patience ends, which for a bulk save is
    after an hour.
    """
    if connection.vendor == "sqlite" and _closing not in connection.execute_wrappers:
        connection.execute_wrappers.append(_closing)


def _closing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    try:
        return execute(sql, params, many, context)
    except Exception:
        context["cursor"].close()
        raise
