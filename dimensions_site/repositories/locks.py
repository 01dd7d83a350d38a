"""SQLite's one lock for all writers: how long to wait for it, and whether a failure was about nothing else."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

# PostgreSQL's code of the error.
_LOCK_NOT_AVAILABLE = "55P03"


def is_about_locks(error: OperationalError) -> bool:
    """Whether nothing failed but the waiting for a lock."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.OperationalError):
        return cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return getattr(cause, "sqlstate", None) == _LOCK_NOT_AVAILABLE


@contextmanager
def sqlite_patience(seconds: float) -> Iterator[None]:
    """Let SQLite wait so long for its one writer's lock, which a transaction takes at its beginning."""
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
    # A cursor of its own: it tells the new value, and an answer that is not read keeps SQLite from taking functions.
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
