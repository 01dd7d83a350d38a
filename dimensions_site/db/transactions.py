"""Transactions: how long they wait for SQLite's single write lock, how to recognise that waiting failed, and what they
do right before their commit, on both databases (design/history.md).
"""

import sqlite3
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

P = TypeVar("P")
# PostgreSQL's code of the error.
_LOCK_NOT_AVAILABLE = "55P03"


def is_about_locks(error: OperationalError) -> bool:
    """Return whether `error` is a timeout while waiting for a lock."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.OperationalError):
        return cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return getattr(cause, "sqlstate", None) == _LOCK_NOT_AVAILABLE


@contextmanager
def sqlite_timeout(seconds: float) -> Iterator[None]:
    """Set how many seconds SQLite waits for its write lock, which a transaction takes when it begins."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (usual,) = cursor.fetchone()
    _wait_for(int(seconds * 1000))
    try:
        yield
    finally:
        _wait_for(usual)


def _wait_for(milliseconds: int) -> None:
    # A separate cursor: the statement returns the new value, and an unread result would block registering SQL
    # functions.
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")


class ActsBeforeCommit(BaseDatabaseWrapper):
    """A connection that does, right before the current transaction commits, what was left for that moment.

    Locks that are taken then are held only briefly. What is done may only query the database; for anything else use
    `on_commit`. What it raises ends the transaction. A rollback discards it, a rollback to a savepoint does not.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pending: dict[Hashable, Any] = {}

    def before_commit(self, name: Hashable, make: Callable[[], P]) -> P:
        """Return what will be placed by its method `place` under the `name`: what `make` made at the first call."""
        if name not in self._pending:
            self._pending[name] = make()
        pending: P = self._pending[name]
        return pending

    def place_pending(self) -> None:
        """Do what was left for the commit."""
        while self._pending:
            self._pending.pop(next(iter(self._pending))).place()

    def commit(self) -> None:
        try:
            self.place_pending()
        except BaseException:
            # Django itself rolls back after errors of the database only.
            self.rollback()
            raise
        super().commit()

    def rollback(self) -> None:
        self._pending.clear()
        super().rollback()

    def close(self) -> None:
        self._pending.clear()
        super().close()
