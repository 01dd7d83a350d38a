"""Rows that are read while the database still finds the next ones."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import Any, cast

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import ClientCursor, InterfaceError, capabilities

# Rows that come from PostgreSQL together; before version 17 its library hands out single ones.
_ROWS = 100 if capabilities.has_stream_chunked() else 1


class StreamingCursor:
    """A cursor of psycopg that sends a query and takes the rows as they come, with flat memory.

    A cursor within the database has each chunk of rows found when it is asked for: the database waits while they are
    written, and the service waits while they are found. Here neither does. While it `is_open` the connection can be
    asked nothing else.
    """

    def __init__(self, cursor: "ClientCursor[Any]") -> None:
        self._cursor = cursor
        self._stream: Generator[Any] | None = None
        self._rows: Iterator[Any] = iter(())
        self.is_open = False

    def execute(self, sql: str, parameters: Sequence[Any] | None = None) -> None:
        """Send the query and wait for its first row. Raises psycopg's errors, as reading the rows does."""
        self._stream = cast(Generator[Any], self._cursor.stream(sql, parameters, size=_ROWS))
        first = list(islice(self._stream, 1))
        self.is_open = bool(first)
        self._rows = self._read(chain(first, self._stream))

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def close(self) -> None:
        """Take no further rows; the database is told to find no more."""
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
    """The rows of a query, all from one state of the data, with flat memory whatever their number.

    Until they are read or dropped, the `connection` can be asked nothing else. Raises Django's database errors.
    """
    # SQLite finds a row when it is asked for.
    open_cursor: Callable[[], CursorWrapper] = getattr(connection, "streaming_cursor", connection.cursor)
    with closing(open_cursor()) as cursor:
        cursor.execute(sql, parameters)
        yield from cursor
