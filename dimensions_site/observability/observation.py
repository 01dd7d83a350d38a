"""The operation in progress: who performs it, on what, and with which result so far. Every log line includes it.

A request, a job of the worker or a command is observed from its beginning to its end, whichever module logs.
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
    """An operation in progress; `names` are the log fields that identify it.

    `code` is the reason of a refusal, in UPPER_SNAKE (contract B1).
    """

    def __init__(self, **names: object) -> None:
        self._began = time.perf_counter()
        self._names = names
        self.code: str | None = None
        self.rows_read = 0
        self.rows_written = 0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def names(self) -> dict[str, object]:
        """Return who performs it, and on what; None for what is unknown or does not apply."""
        return self._names

    def name(self, **names: object) -> None:
        self._names |= names

    def wrote(self, rows: int) -> None:
        """Add the number of rows written and committed."""
        self.rows_written += rows

    def fields(self) -> dict[str, object]:
        """Return the log fields; the duration is in milliseconds."""
        counts = {"rows_read": self.rows_read or None, "rows_written": self.rows_written or None}
        known = {name: value for name, value in (self.names() | counts).items() if value is not None}
        return {**known, "duration_ms": round(self.seconds * 1000, 1)}


def begin(observed: Observed) -> None:
    """Add the fields of `observed` to every log line until the context is cleared."""
    structlog.contextvars.bind_contextvars(**{_KEY: observed})


@contextmanager
def observing(observed: Observed) -> Iterator[None]:
    """Add the fields of `observed` to every log line of the block."""
    with structlog.contextvars.bound_contextvars(**{_KEY: observed}):
        yield


def current() -> Observed | None:
    """Return the operation in progress, if it is observed."""
    found: Observed | None = structlog.contextvars.get_contextvars().get(_KEY)
    return found


def add_operation(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add the operation to the log event; a structlog processor, after that of the context."""
    observed: Observed | None = event.pop(_KEY, None)
    return event if observed is None else {**observed.fields(), **event}


def count_rows(rows: Iterable[T]) -> Iterator[T]:
    """Yield the rows, each counted as read when it is taken."""
    # A list is read while it is sent, when the thread may work on something else.
    observed = current() or Observed()
    for row in rows:
        observed.rows_read += 1
        yield row


def count_read(rows: int) -> None:
    """Count rows as read."""
    if observed := current():
        observed.rows_read += rows


def count_written(rows: int) -> None:
    """Count rows as written once the transaction commits: a dry run and a failed save write none."""
    if observed := current():
        transaction.on_commit(lambda: observed.wrote(rows))
