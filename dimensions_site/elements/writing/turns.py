"""Limits for bulk saves that wait for their turn in the web server, so that they never occupy all threads.

Each waiting save occupies a thread, and all tenants share the threads. So only a few may wait for one repository in
each process for long; others are refused and try again later. Any number may wait for a short time.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings

from dimensions_site.api.errors import Problem
from dimensions_site.elements.writing.locking import StillLocked, writing_many
from dimensions_site.repositories.models import Repository

# How long a save waits, in seconds, if BULK_WAITERS already wait. Once these have waited longer, it is refused at once.
_MOMENT = 1.0


class _Queue:
    """When the waiting bulk saves of this process began to wait, by the key of the repository."""

    def __init__(self) -> None:
        self._since: defaultdict[int, list[float]] = defaultdict(list)
        self._lock = threading.Lock()

    def is_closed(self, key: int) -> bool:
        """Return whether the maximum number waits, and has waited for more than a moment."""
        waiting = tuple(self._since.get(key, ()))  # a copy: others come and go meanwhile
        return len(waiting) >= settings.BULK_WAITERS and time.monotonic() - min(waiting) > _MOMENT

    @contextmanager
    def waiting(self, key: int) -> Iterator[float]:
        """Count the block as waiting, for up to that many seconds. Raises `StillLocked` if too many already wait."""
        now = time.monotonic()
        with self._lock:
            if self.is_closed(key):
                raise StillLocked
            seconds = settings.BULK_WAIT_SECONDS if len(self._since[key]) < settings.BULK_WAITERS else _MOMENT
            self._since[key].append(now)
        try:
            yield seconds
        finally:
            with self._lock:
                self._since[key].remove(now)
                if not self._since[key]:
                    del self._since[key]


_queue = _Queue()


def refuse_when_crowded(repository: Repository) -> None:
    """Raise `Problem` 503 if too many already wait, before any work is done for a request that would be refused."""
    if _queue.is_closed(repository.pk):
        raise _busy()


@contextmanager
def writing_in_turn(repository: Repository) -> Iterator[None]:
    """Do as `writing_many`, for a thread of the web server. Raises `Problem` 503 if others write for too long."""
    try:
        with ExitStack() as stack:
            with _queue.waiting(repository.pk) as seconds:
                stack.enter_context(writing_many(repository, timeout=seconds))
            yield
    except StillLocked:
        raise _busy() from None


def _busy() -> Problem:
    detail = "Others are saving many elements of this repository. Nothing was saved; try again in some seconds."
    return Problem(503, "REPOSITORY_BUSY", detail, headers={"Retry-After": "5"})
