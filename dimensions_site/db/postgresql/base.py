"""Django's PostgreSQL backend, made safe for connection poolers such as PgBouncer (design/database.md).

A pooler provides a database connection for one transaction only, so no state may outlive a transaction: settings are
`SET LOCAL`, temporary tables and advisory locks belong to the transaction, and cursors are handled as described here.
Frequent queries are prepared only on direct connections.
"""

import select
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.backends.utils import CursorWrapper
from psycopg import Connection, InterfaceError
from psycopg.pq import TransactionStatus

from dimensions_site.db.postgresql.streaming import StreamingCursor
from dimensions_site.db.read_limits import execute_limited, has_event
from dimensions_site.db.transactions import ActsBeforeCommit

# The seconds within which the database must accept a cancel request.
_SECONDS_TO_CANCEL = 5
# How often a query is executed on a connection before it is prepared, which costs one more round trip.
_TIMES_BEFORE_KEPT = 5


class Operations(DatabaseOperations):
    """Django's operations, for queries that may be sent with server-side parameters."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        if isinstance(cursor, base.ServerBindingCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


# Django's stubs do not cover all of the backend that is used here, hence the ignored types.
class RepeatingCursor(base.ServerBindingCursor):
    """A cursor whose repeated queries are prepared on the server."""

    connection: Connection[Any]

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        # For this query alone: psycopg would also remember the last hundred other queries with their values, which may
        # be parts of files.
        self.connection.prepare_threshold = _TIMES_BEFORE_KEPT
        try:
            return super().execute(*args, **kwargs)  # type: ignore[misc]
        finally:
            self.connection.prepare_threshold = None


class DatabaseWrapper(ActsBeforeCommit, base.DatabaseWrapper):
    """A connection with server-side cursors inside transactions only, and with actions right before a commit."""

    ops_class = Operations

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stream: StreamingCursor | None = None
        self._is_direct = False
        # Whether tables may be distributed (`db/shards.py`); None before the first connection.
        self.has_citus: bool | None = None
        self.execute_wrappers.append(execute_limited)

    def cancel_query(self) -> None:
        """Cancel the query that this connection runs in another thread, if any."""
        if self.connection is not None:
            self.connection.cancel_safe(timeout=_SECONDS_TO_CANCEL)

    def init_connection_state(self) -> None:
        """Detect whether statements prepared on the new connection will still exist in the next transaction, and Citus.

        PostgreSQL announces its process id at the connection; a pooler does not know it yet, and invents one.
        """
        super().init_connection_state()
        with self.connection.cursor() as cursor:
            state = "SELECT pg_backend_pid(), to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
            pid, self.has_citus = cursor.execute(state).fetchone()
        self._is_direct = pid == self.connection.info.backend_pid

    def commit(self) -> None:
        self._end_stream()
        super().commit()

    def rollback(self) -> None:
        self._end_stream()
        super().rollback()

    def _savepoint_rollback(self, sid: str) -> None:
        self._end_stream()
        super()._savepoint_rollback(sid)  # type: ignore[misc]

    def close(self) -> None:
        self._stream = None
        super().close()

    def is_usable(self) -> bool:
        """Return whether the connection is alive; Django asks before the first query of each request.

        A connection that the database has closed, or on which it reports something, is readable. Query it only then,
        and inside a transaction.
        """
        if self._is_idle() and not has_event(self.connection.fileno(), select.POLLIN):
            return True
        return bool(super().is_usable())

    def _is_idle(self) -> bool:
        return self.connection is not None and self.connection.info.transaction_status is TransactionStatus.IDLE

    def streaming_cursor(self) -> CursorWrapper:
        """Return a cursor whose rows are read while the database finds the next ones (`streaming.StreamingCursor`)."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            self._stream = StreamingCursor(self.create_cursor())
            cursor: CursorWrapper = self._prepare_cursor(self._stream)  # type: ignore[attr-defined]
        return cursor

    def repeating_cursor(self) -> CursorWrapper:
        """Return a cursor for a frequent query: PostgreSQL keeps its plan where that is possible.

        Planning takes most of the time of a query that finds one row.
        """
        if not self._is_direct:
            return self.cursor()
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            self._check_nothing_is_read()
            cursor: CursorWrapper = self._prepare_cursor(  # type: ignore[attr-defined]
                RepeatingCursor(self.connection)  # type: ignore[call-arg]
            )
        return cursor

    def create_cursor(self, name: str | None = None) -> Any:
        """Return psycopg's cursor. Raises InterfaceError while a streaming cursor reads rows: it would wait forever."""
        self._check_nothing_is_read()
        return super().create_cursor(name)

    def _set_autocommit(self, autocommit: bool) -> None:
        with self.wrap_database_errors:
            self._check_nothing_is_read()  # psycopg would wait for the same lock
        super()._set_autocommit(autocommit)  # type: ignore[misc]

    def _check_nothing_is_read(self) -> None:
        if self._stream is not None and self._stream.is_open:
            raise InterfaceError("The rows of another query are still read on this connection.")

    def _end_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def chunked_cursor(self) -> CursorWrapper:
        """Return a cursor that fetches rows in chunks; outside of a transaction, one that has fetched all of them.

        Django's own would outlive the statement, and behind a pooler fetch from another connection. Forms of the admin
        use it for the few choices of a field.
        """
        cursor: CursorWrapper = super().chunked_cursor() if self.in_atomic_block else self.cursor()
        return cursor
