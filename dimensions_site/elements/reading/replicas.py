"""Reading elements from a replica of the database, as fresh as from the primary (design/database.md)."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import wraps
from itertools import chain, islice
from typing import ClassVar, Protocol, TypeVar, cast

import structlog
from django.db import DEFAULT_DB_ALIAS, Error, connections, transaction
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from dimensions_site.changes.states import State, current_state, replica_has
from dimensions_site.db.read_limits import reads_ended_by
from dimensions_site.observability.metrics import ELEMENT_READS
from dimensions_site.repositories.permissions import Scope

log = structlog.get_logger(__name__)

# The name of the streaming replica in DATABASES, if there is one.
REPLICA = "replica"
# How many seconds a process leaves a replica alone that has not answered, or has broken off a query.
_LEFT_ALONE = 5.0
_NOTHING = State(-1, "", {})
# How many seconds the health check may wait for a replica, which the service can do without.
_LONGEST_CHECK = 0.5
# Pieces of a list that are read before the first is sent: a list with no more needs no connection while it is sent.
_AHEAD = 3


class Reading(Protocol):
    """A view that reads elements of its `scope` from the database with the name `database`."""

    scope: Scope
    database: str


# A handler of such a view.
Handler = TypeVar("Handler", bound=Callable[..., HttpResponseBase])


class _Availability(threading.local):
    """Whether the replica can be used; each process finds out for itself, and its threads share the result."""

    failures: ClassVar[int] = 0
    is_lost: ClassVar[bool] = False
    not_before: ClassVar[float] = 0.0
    turn: ClassVar[threading.Lock] = threading.Lock()
    # How many of the failures this thread knows.
    known: int = 0

    def may_be_asked(self) -> bool:
        """Return whether this thread may use the replica: after a failure one thread may, once every few seconds.

        If every request used it, a host that does not answer would block every thread.
        """
        if not self.is_lost:
            return True
        with self.turn:
            now = time.monotonic()
            if now < self.not_before:
                return False
            _Availability.not_before = now + _LEFT_ALONE
            return True

    def find(self) -> None:
        """Record that the replica has answered."""
        _Availability.is_lost = False

    def lose(self, error: Error) -> None:
        """Record that the replica has failed, so that it is not used for a few seconds."""
        _Availability.not_before = time.monotonic() + _LEFT_ALONE
        _Availability.is_lost = True
        _Availability.failures += 1
        log.warning("replica_unavailable", error=str(error).strip())
        self.reconnect()

    def reconnect(self) -> None:
        """Close this thread's connection if the replica has failed since it was opened."""
        if self.known != self.failures:
            self.known = self.failures
            with suppress(Error):
                connections[REPLICA].close()


available = _Availability()


def has_replica() -> bool:
    """Return whether the service has a replica (`REPLICA_URL`)."""
    return REPLICA in connections.settings


def from_replica(handle: Handler) -> Handler:
    """Let a handler that reads elements do so from the replica, if there is one that has all that was written to them.

    It reads from the primary if the replica is behind, does not answer, or breaks off the query before the response has
    begun: then the handler is called once more.
    """

    @wraps(handle)
    def read(view: Reading, request: Request, **path: str) -> HttpResponseBase:
        if not has_replica():
            return handle(view, request, **path)
        if available.may_be_asked():
            state, _ = current_state(view.scope.repository.pk, view.scope.dimension)
            available.reconnect()
            try:
                # Discarded at the end of the block unless the response goes on reading.
                with ExitStack() as stack:
                    stack.enter_context(transaction.atomic(using=REPLICA))
                    has_all = replica_has(state, REPLICA)
                    available.find()
                    if has_all:
                        view.database = REPLICA
                        ELEMENT_READS.labels(REPLICA).inc()
                        response = handle(view, request, **path)
                        if isinstance(response, StreamingHttpResponse):
                            _keep(stack, response)
                        return response
            except Error as error:
                if reads_ended_by():  # the primary would take as long
                    raise
                available.lose(error)
        view.database = DEFAULT_DB_ALIAS
        ELEMENT_READS.labels("primary").inc()
        return handle(view, request, **path)

    return cast(Handler, read)


def _replica_answers() -> bool:
    if not available.may_be_asked():
        return False
    try:
        has_all = replica_has(_NOTHING, REPLICA)
        available.find()
        return has_all
    except Error as error:
        available.lose(error)
        return False
    finally:
        with suppress(Error):
            connections[REPLICA].close()


# The check of the health endpoint has its own thread, so that a request waits only a moment for it. The thread starts
# at the first check, in the process that needs it.
_checking = ThreadPoolExecutor(1, "replica")
_check: "Future[bool] | None" = None


def replica_answers() -> bool:
    """Return whether there is a replica that answers in time; one that has just failed is left alone."""
    global _check
    if _check is None or _check.done():
        _check = _checking.submit(_replica_answers)
    try:
        return _check.result(_LONGEST_CHECK)
    except TimeoutError:
        return False


def _keep(stack: ExitStack, response: StreamingHttpResponse) -> None:
    """Keep the transaction open until a long list is sent; a short one has been read completely."""
    content = iter(response)
    pieces = list(islice(content, _AHEAD))
    if len(pieces) < _AHEAD:
        response.streaming_content = pieces
    else:
        response.streaming_content = _Pieces(chain(pieces, content), stack.pop_all())


class _Pieces(Iterator[bytes]):
    """The pieces of a list. The transaction ends with them; it may fail then, because it has written nothing."""

    def __init__(self, pieces: Iterator[bytes], stack: ExitStack) -> None:
        self._pieces = pieces
        self._stack = stack

    def __next__(self) -> bytes:
        try:
            return next(self._pieces)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the transaction, however much of the list was sent; the response has closed the list before."""
        with suppress(Error):
            self._stack.close()
