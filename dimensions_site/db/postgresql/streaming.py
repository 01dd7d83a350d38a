"""Read rows while the database finds the next ones (design/reading.md)."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from itertools import chain, islice
from typing import Any, cast

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import ClientCursor, InterfaceError, capabilities

from dimensions_site.db.read_limits import limited_rows


def snapshot(connection: BaseDatabaseWrapper) -> AbstractContextManager[Any]:
    """Run a streamed query on a consistent snapshot, with constant memory.

    On PostgreSQL, Django fetches instances in chunks only inside a transaction. SQLite streams anyway, and a
    transaction would take its write lock.
    """
    if connection.vendor != "postgresql":
        return nullcontext()
    return transaction.atomic(using=connection.alias, savepoint=False)


# Rows fetched together; with client libraries before version 17, one at a time. More are not faster, and a hundred of
# the largest elements would take 25 MB.
_ROWS = 10 if capabilities.has_stream_chunked() else 1


class StreamingCursor:
    """A psycopg cursor that sends a query and yields the rows as they arrive, with constant memory.

    A server-side cursor finds each chunk when it is requested: database and service wait for each other in turn. Here
    neither does. While it `is_open`, the connection cannot run another query.
    """

    def __init__(self, cursor: "ClientCursor[Any]") -> None:
        self._cursor = cursor
        self._stream: Generator[Any] | None = None
        self._rows: Iterator[Any] = iter(())
        self.is_open = False

    def execute(self, sql: str, parameters: Sequence[Any] | None = None) -> None:
        """Send the query and wait for its first row. Raises psycopg's errors, as does reading the rows."""
        self._stream = cast(Generator[Any], self._cursor.stream(sql, parameters, size=_ROWS))
        first = list(islice(self._stream, 1))
        self.is_open = bool(first)
        self._rows = self._read(chain(first, self._stream))

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def close(self) -> None:
        self.is_open = False
        if self._stream is not None:
            self._stream.close()
        self._cursor.close()

    def _read(self, rows: Iterable[Any]) -> Iterator[Any]:
        for row in rows:
            yield row
            if not self.is_open:  # or the rows would seem to end here
                raise InterfaceError("The transaction ended before all rows were read.")
        self.is_open = False


def streamed_rows(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> Generator[Sequence[Any]]:
    """Yield the rows of a query from one snapshot, with constant memory.

    Until they are read or closed, the `connection` cannot run another query. Raises Django's database errors.
    """
    # SQLite finds a row when it is fetched.
    open_cursor: Callable[[], CursorWrapper] = getattr(connection, "streaming_cursor", connection.cursor)
    with closing(open_cursor()) as cursor:
        cursor.execute(sql, parameters)
        yield from limited_rows(connection, cursor)
