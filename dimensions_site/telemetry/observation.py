"""What is being done, for whom, and what it came to so far: what each log line tells beside its event.

A request, a job of the worker or a command is observed from its beginning to its end. Whatever is logged meanwhile, by
whichever module, tells whom and what it is about.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import structlog
from django.db import transaction

T = TypeVar("T")

_KEY = "observed"


class Observed:
    """Something that is being done; `names` are what tells it from others, in the words of the log.

    `code` is why it was refused, in UPPER_SNAKE (contract B1).
    """

    def __init__(self, **names: object) -> None:
        self._began = time.perf_counter()
        self._names = names
        self.code: str | None = None
        self.rows_read = 0
        self.rows_written = 0

    @property
    def seconds(self) -> float:
        """For how long it has been done."""
        return time.perf_counter() - self._began

    def names(self) -> dict[str, object]:
        """Who and what it is about; what is not known yet, or never, is None."""
        return self._names

    def name(self, **names: object) -> None:
        """It has become known what it is about."""
        self._names |= names

    def wrote(self, rows: int) -> None:
        """So many rows are written, for good."""
        self.rows_written += rows

    def told(self) -> dict[str, object]:
        """What a log line tells of it; the duration in milliseconds."""
        figures = {"rows_read": self.rows_read or None, "rows_written": self.rows_written or None}
        known = {name: value for name, value in (self.names() | figures).items() if value is not None}
        return {**known, "duration_ms": round(self.seconds * 1000, 1)}


def begin(observed: Observed) -> None:
    """Let all that is logged from here on tell what is done; it ends when the context is cleared."""
    structlog.contextvars.bind_contextvars(**{_KEY: observed})


@contextmanager
def observing(observed: Observed) -> Iterator[None]:
    """Let all that is logged within the block tell what is done."""
    with structlog.contextvars.bound_contextvars(**{_KEY: observed}):
        yield


def current() -> Observed | None:
    """What is being done just now, if it is observed."""
    found: Observed | None = structlog.contextvars.get_contextvars().get(_KEY)
    return found


def tell(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Put into the line of an event what it happened to: a processor of structlog, behind that of the context."""
    observed: Observed | None = event.pop(_KEY, None)
    return event if observed is None else {**observed.told(), **event}


def counted(rows: Iterable[T]) -> Iterator[T]:
    """The same rows, each of which counts as read when it is taken."""
    # A list is read while it is sent, when the thread may have something else to do.
    observed = current() or Observed()
    for row in rows:
        observed.rows_read += 1
        yield row


def count_read(rows: int) -> None:
    """So many rows were read."""
    if observed := current():
        observed.rows_read += rows


def count_written(rows: int) -> None:
    """So many rows are written, if the transaction is committed: a dry run and a failed save write none."""
    if observed := current():
        transaction.on_commit(lambda: observed.wrote(rows))
