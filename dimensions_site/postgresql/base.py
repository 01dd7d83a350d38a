"""Django's way to PostgreSQL, so that it does not matter whether a pool of connections stands between.

A pool such as PgBouncer gives a connection of the database for one transaction only. So nothing that the service has
in the database may outlive one: what it sets it sets for a transaction (`SET LOCAL`), temporary tables and locks of
names end with theirs, and cursors are kept as told here. What is asked all the time is prepared in a connection of the
database itself, and in no other. See record 0027.
"""

import select
from collections.abc import Callable, Hashable
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.backends.utils import CursorWrapper
from psycopg import Connection, InterfaceError
from psycopg.pq import TransactionStatus

from dimensions_site.postgresql.streaming import StreamingCursor

# How often a query is asked on a connection before the database is told to keep it: it costs one more round trip.
_TIMES_BEFORE_KEPT = 5


class Operations(DatabaseOperations):
    """Django's, where some queries are sent with their values beside them."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        """The query as it could be asked by hand, for those who look at what was asked."""
        if isinstance(cursor, base.ServerBindingCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


# The stubs of Django do not know all of its backend that is used here, hence the exceptions for the type checker.
class RepeatingCursor(base.ServerBindingCursor):
    """A cursor whose queries the database is told to keep when they come again."""

    connection: Connection[Any]

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Execute a query with its values beside it."""
        # For this query alone: psycopg would remember the last hundred of all others too, with the values in them,
        # which may be pieces of files.
        self.connection.prepare_threshold = _TIMES_BEFORE_KEPT
        try:
            return super().execute(*args, **kwargs)  # type: ignore[misc]
        finally:
            self.connection.prepare_threshold = None


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose rows stay in the database, to be fetched in chunks, inside of transactions only.

    It can be told what a transaction has to do at its very end.
    """

    ops_class = Operations

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._at_the_end: dict[Hashable, Callable[[], None]] = {}
        self._stream: StreamingCursor | None = None
        self._is_direct = False

    def init_connection_state(self) -> None:
        """Find out whether what is prepared in the new connection will still be there for the next transaction.

        PostgreSQL tells who connects which process will answer; a pool does not know yet, and makes a number up.
        """
        super().init_connection_state()
        with self.connection.cursor() as cursor:
            (pid,) = cursor.execute("SELECT pg_backend_pid()").fetchone()
        self._is_direct = pid == self.connection.info.backend_pid

    def before_commit(self, name: Hashable, act: Callable[[], None]) -> None:
        """Have `act` called right before the current transaction is committed, once for each `name`.

        What it locks it locks for a moment only. It asks the database and does nothing else: `on_commit` has its time
        behind it. A rollback forgets it, one to a savepoint does not.
        """
        self._at_the_end[name] = act

    def commit(self) -> None:
        self._end_stream()
        while self._at_the_end:
            self._at_the_end.pop(next(iter(self._at_the_end)))()
        super().commit()

    def rollback(self) -> None:
        self._at_the_end.clear()
        self._end_stream()
        super().rollback()

    def _savepoint_rollback(self, sid: str) -> None:
        self._end_stream()
        super()._savepoint_rollback(sid)  # type: ignore[misc]

    def close(self) -> None:
        self._at_the_end.clear()
        self._stream = None
        super().close()

    def is_usable(self) -> bool:
        """Whether the database is still there; Django asks before the first query of each request.

        A connection that the database has ended, or has something to say on, is readable. Only then it is asked, and in
        the middle of a transaction.
        """
        if self._is_idle() and not _is_readable(self.connection.fileno()):
            return True
        return bool(super().is_usable())

    def _is_idle(self) -> bool:
        return self.connection is not None and self.connection.info.transaction_status is TransactionStatus.IDLE

    def streaming_cursor(self) -> CursorWrapper:
        """A cursor whose rows are read while the database finds the next ones (`streaming.StreamingCursor`)."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            self._stream = StreamingCursor(self.create_cursor())
            cursor: CursorWrapper = self._prepare_cursor(self._stream)  # type: ignore[attr-defined]
        return cursor

    def repeating_cursor(self) -> CursorWrapper:
        """A cursor for a query that is asked again and again: PostgreSQL keeps its plan, where it can.

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
        """A cursor of psycopg. Raises its InterfaceError while rows are read by another: it would wait for ever."""
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
        """A cursor from which rows are fetched as they are needed; outside of a transaction one that has them all.

        Django would leave it in the database beyond the statement, and fetch from another connection behind a pool.
        Forms of the administration ask so for the choices of a field, which are few.
        """
        cursor: CursorWrapper = super().chunked_cursor() if self.in_atomic_block else self.cursor()
        return cursor


def _is_readable(number: int) -> bool:
    """Whether something came in at the connection with that number, or its end; `select` takes small numbers only."""
    watched = select.poll()
    watched.register(number, select.POLLIN)
    return bool(watched.poll(0))
