"""SQLite's single write lock: how long to wait for it, and how to recognise that waiting failed."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

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
