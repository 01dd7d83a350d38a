"""Limit the time of a request's reading queries, and cancel them when the client has disconnected (design/limits.md).

A thread of the process watches running queries. It cancels those of a request that has used up its time, those of a
client that has disconnected, and the latest ones when those of a repository, or all together, occupy too many threads.
Only the time in which the database works counts, not that in which a slow client reads, so PostgreSQL's
`statement_timeout` would not do.
"""

import enum
import select
import socket
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from operator import itemgetter
from typing import Any, Protocol, TypeVar, cast

from django.conf import settings
from django.db import Error, connections
from psycopg.errors import QueryCanceled

T = TypeVar("T")

# The interval between two checks of the running queries, in seconds.
_INTERVAL = 0.25
# A query that works longer than this without finding rows, in seconds, keeps a thread from other clients.
_LONG_QUERY = 1.0
# Additional seconds for each row read: far more than finding a row takes, so that long lists are not cut off.
_SECONDS_PER_ROW = 0.001
# More would not be faster, and the largest elements have 256 KiB each.
_ROWS_AT_A_TIME = 10
# The client has closed its side of the connection; Linux reports this before the data it has sent is read.
_CLOSED = getattr(select, "POLLRDHUP", 0)


class Connection(Protocol):
    """A Django connection whose running query another thread can cancel."""

    def cancel_query(self) -> None: ...


class CancelReason(enum.Enum):
    TIME = "time"
    CLIENT = "client"
    CROWD = "crowd"


class ReadLimit:
    """The limit of one request: `seconds` of the database's work, while its `client` is connected.

    Of the requests of one `owner`, a repository or a session, only a few may run long at a time.
    """

    def __init__(self, seconds: float, client: socket.socket | None, owner: str | None) -> None:
        self.owner = owner
        self._left = seconds
        self._client = client
        self._connection: Connection | None = None
        self.begun = 0.0  # when the database began to look for the next rows
        # Held while a query is cancelled, so that the cancellation cannot hit the next query.
        self._lock = threading.Lock()
        self.end: CancelReason | None = None

    @contextmanager
    def running(self, connection: Connection) -> Iterator[None]:
        """Measure the time of the block, and allow its query on `connection` to be cancelled."""
        with self._lock:
            self._connection, self.begun = connection, time.monotonic()
        _watch.add(self)
        try:
            yield
        finally:
            _watch.remove(self)
            with self._lock:
                self._connection = None
                self._left -= time.monotonic() - self.begun

    def batches(self, connection: Connection, rows: Iterator[T]) -> Iterator[T]:
        while True:
            with self.running(connection):
                batch = list(islice(rows, _ROWS_AT_A_TIME))
            if not batch:
                return
            self._left += len(batch) * _SECONDS_PER_ROW
            yield from batch

    def check(self, now: float, *, is_crowded: bool = False) -> None:
        """Cancel the running query if its time is up, its client has gone, or others of its owner run long.

        Called by the watching thread.
        """
        if not self._lock.acquire(blocking=False):  # it is being cancelled, begins or ends
            return
        try:
            if self._connection is None:  # it has ended since the thread looked
                return
            if now - self.begun > self._left:
                self._cancel(CancelReason.TIME)
            elif self._client is not None and has_gone(self._client):
                self._cancel(CancelReason.CLIENT)
            elif is_crowded and self.is_long(now):
                self._cancel(CancelReason.CROWD)
        finally:
            self._lock.release()

    def is_long(self, now: float) -> bool:
        """Return whether the database has been looking for the next rows for long."""
        return self._connection is not None and now - self.begun > _LONG_QUERY

    def _cancel(self, end: CancelReason) -> None:
        self.end = self.end or end
        # In a thread of its own: an unreachable database must not stop the watching of other queries.
        threading.Thread(target=self._cancel_query, daemon=True).start()

    def _cancel_query(self) -> None:
        with self._lock:
            if self._connection is not None:
                with suppress(Error, OSError):
                    self._connection.cancel_query()


class _Watch:
    """The thread of this process that watches the running queries; it sleeps while there are none."""

    def __init__(self) -> None:
        self._running: set[ReadLimit] = set()
        self._is_needed = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def add(self, limit: ReadLimit) -> None:
        self._running.add(limit)
        if not self._is_needed.is_set():
            self._is_needed.set()
        # Threads do not survive a fork.
        if self._thread is None or not self._thread.is_alive():
            self._start()

    def remove(self, limit: ReadLimit) -> None:
        self._running.discard(limit)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="read-limits", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._is_needed.wait()
            time.sleep(_INTERVAL)
            now = time.monotonic()
            running = list(self._running)
            too_many = set(_too_many(running, now))
            for limit in running:
                limit.check(now, is_crowded=limit in too_many)
            self._is_needed.clear()
            if self._running:  # perhaps only just now
                self._is_needed.set()


def _too_many(running: Iterable[ReadLimit], now: float) -> Iterator[ReadLimit]:
    """Return the latest long queries beyond the number that an owner may have, and those that leave no thread free."""
    by_owner: defaultdict[str | None, list[ReadLimit]] = defaultdict(list)
    for limit in sorted(running, key=lambda limit: limit.begun):
        if limit.is_long(now):
            by_owner[limit.owner].append(limit)
    ranked: list[tuple[int, float, ReadLimit]] = []
    for owner, limits in by_owner.items():
        most = len(limits) if owner is None else settings.LONG_READERS
        yield from limits[most:]
        ranked += [(rank, limit.begun, limit) for rank, limit in enumerate(limits[:most])]
    waits = sum(now - begun > _LONG_QUERY for begun, _ in tuple(_waits))
    excess = len(ranked) + waits - _most_occupied()
    if excess > 0:  # the latest of the owners with the most
        yield from (limit for _, _, limit in sorted(ranked, key=itemgetter(0, 1), reverse=True)[:excess])


_watch = _Watch()
# The writes of this process that wait for others: when each began, and in which queue. Each occupies a thread, as a
# long read does.
_waits: list[tuple[float, Hashable]] = []


def _most_occupied() -> int:
    """Return how many threads may be occupied for long: all but one, which is left to other clients."""
    return max(1, settings.WEB_THREADS - 1)


@contextmanager
def waiting_write(queue: Hashable) -> Iterator[float]:
    """Count the block, a write that waits for others in the `queue`, with the long reads; yield when it began."""
    wait = time.monotonic(), queue
    _waits.append(wait)
    try:
        yield wait[0]
    finally:
        _waits.remove(wait)


def waits_before(begun: float, queue: Hashable) -> int:
    """Return how many of the waiting writes in the `queue` began before `begun`."""
    # A copy, because other threads add and remove some meanwhile.
    return sum(other < begun and own == queue for other, own in tuple(_waits))


def has_free_thread(begun: float) -> bool:
    """Return whether the waiting writes that began before `begun` leave a thread to other clients."""
    return sum(other < begun for other, _ in tuple(_waits)) < _most_occupied()


_of_thread = threading.local()


def _limit_of_request() -> ReadLimit | None:
    """Return the limit of the current thread's request, whether or not it applies now; None without one."""
    limit: ReadLimit | None = getattr(_of_thread, "limit", None)
    return limit


def current_limit() -> ReadLimit | None:
    """Return the limit that applies to queries of the current thread; None without one."""
    return _limit_of_request() if getattr(_of_thread, "applies", False) else None


def own_reads(owner: str) -> None:
    """Count further reads of the current thread as those of `owner`."""
    limit = _limit_of_request()
    if limit is not None:
        limit.owner = owner


@contextmanager
def read_limit(
    seconds: float, client: socket.socket | None = None, owner: str | None = None, *, applies: bool = True
) -> Iterator[None]:
    """Limit the queries of the block; streams that it begins stay limited after it. An outer limit takes precedence.

    If it `applies` not to all of them, then to those in blocks of `limited_reads`.
    """
    if _limit_of_request() is not None:
        yield
        return
    _of_thread.limit, _of_thread.applies = ReadLimit(seconds, client, owner), applies
    try:
        yield
    finally:
        _of_thread.limit = None


@contextmanager
def limited_reads() -> Iterator[None]:
    """Apply the limit of the request to the queries of the block, which only read although the request writes."""
    before = getattr(_of_thread, "applies", False)
    _of_thread.applies = True
    try:
        yield
    finally:
        _of_thread.applies = before


def execute_limited(execute: Callable[..., T], sql: str, parameters: Any, many: bool, context: dict[str, Any]) -> T:
    """Execute a query within the current limit; a Django execute wrapper."""
    limit = current_limit()
    if limit is None:
        return execute(sql, parameters, many, context)
    with limit.running(context["connection"]):
        return execute(sql, parameters, many, context)


def limited_rows(connection: Any, rows: Iterable[T]) -> Iterator[T]:
    """Yield the `rows` of a query on `connection` within the limit that the thread has now."""
    limit = current_limit()
    # Django's connection object is thread-local: its name would mean another one in the thread that cancels.
    return iter(rows) if limit is None else limit.batches(cast(Connection, connections[connection.alias]), iter(rows))


def reads_ended_by() -> CancelReason | None:
    """Return why the queries of the current thread's request were cancelled; None if they were not."""
    limit = _limit_of_request()
    return None if limit is None else limit.end


def is_cancellation(error: Exception) -> bool:
    """Return whether a query failed because it was cancelled."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.OperationalError):
        return cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_INTERRUPT
    return isinstance(cause, QueryCanceled)


def has_gone(client: socket.socket) -> bool:
    """Return whether the client has closed its side of the connection."""
    return client.fileno() < 0 or has_event(client.fileno(), _CLOSED)


def has_event(number: int, event: int) -> bool:
    """Return whether the `event` is at the file descriptor; `select` itself supports small descriptors only."""
    watched = select.poll()
    watched.register(number, event)
    return bool(watched.poll(0))
