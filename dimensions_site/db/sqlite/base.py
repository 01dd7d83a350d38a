"""Django's SQLite backend, changed so that readers do not wait for the writer (design/database.md)."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.features import DatabaseFeatures

from dimensions_site.db.read_limits import current_limit, execute_limited
from dimensions_site.db.transactions import ActsBeforeCommit

# Timestamps are stored as Django writes them, even where a statement takes them without Django.
sqlite3.register_adapter(datetime, lambda instant: str(instant.astimezone(UTC).replace(tzinfo=None)))


class Features(DatabaseFeatures):
    """Django's features, without the transaction in which it detects JSON support before the first query with JSON.

    Here every transaction takes the write lock. A new process would wait for the writer before its first read, and
    after twenty seconds conclude, until its end, that SQLite has no JSON.
    """

    supports_json_field = True


class Cursor(base.SQLiteCursorWrapper):
    """A cursor that fetches rows within the limit of reads: SQLite finds most of them during the fetch."""

    def __init__(self, connection: sqlite3.Connection, owner: "DatabaseWrapper") -> None:
        super().__init__(connection)
        self._owner = owner

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        limit = current_limit()
        if limit is None:
            return super().fetchmany(size)
        with limit.running(self._owner):
            return super().fetchmany(size)


class DatabaseWrapper(ActsBeforeCommit, base.DatabaseWrapper):
    """A connection to an SQLite file, with actions right before a commit."""

    features_class = Features

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers += [execute_limited, _closing_failed]

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=lambda connection: Cursor(connection, self))
        return cursor

    def cancel_query(self) -> None:
        """Interrupt the query that this connection runs in another thread, if any."""
        if self.connection is not None:
            self.connection.interrupt()


def _closing_failed(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Close the cursor of a failed statement at once; a Django execute wrapper.

    An error and its traceback refer to each other and to the cursor, so Python frees it later, in any thread. That
    takes the lock of the connection, whose thread may hold it while it waits for SQLite's write lock: if the freeing
    thread is the writer, both wait for each other, and the whole service with them.
    """
    try:
        return execute(sql, params, many, context)
    except Exception:
        context["cursor"].close()
        raise
