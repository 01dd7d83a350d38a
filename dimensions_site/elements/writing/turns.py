"""Limits for writes that wait for others in the web server, so that they never occupy all threads (design/limits.md).

Each waiting write occupies a thread, and all tenants share the threads. So only a few may wait for one repository in
each process for long; others are refused and try again later. Any number may wait for a short time.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Problem
from dimensions_site.db.read_limits import has_free_thread, waiting_write
from dimensions_site.elements.writing.locking import StillLocked, writing_many, writing_one
from dimensions_site.repositories.models import Repository

# How long a write waits, in seconds, if BULK_WAITERS are ahead of it. Once as many have waited longer, a bulk save is
# refused at once.
_MOMENT = 1.0
# How long a single write waits then, in seconds: most lock an element that nobody else writes, and need not wait.
_INSTANT = 0.05
# A body from this many bytes on may take longer than a moment to be read.
_LARGE = 4 * 1024**2


class _Queue:
    """When the waiting writes of this process began, by the key of the repository; a single write always counts."""

    def __init__(self) -> None:
        self._since: defaultdict[int, list[float]] = defaultdict(list)
        self._lock = threading.Lock()

    def is_crowded(self, key: int) -> bool:
        """Return whether the maximum number has waited for more than a moment."""
        late = time.monotonic() - _MOMENT
        # A copy, because other threads add and remove entries meanwhile.
        return sum(since < late for since in tuple(self._since.get(key, ()))) >= settings.BULK_WAITERS

    def has_room(self, key: int, since: float) -> bool:
        """Return whether fewer than the maximum number began before, and leave a thread to other clients."""
        ahead = sum(other < since for other in tuple(self._since.get(key, ())))
        return ahead < settings.BULK_WAITERS and has_free_thread(since)

    @contextmanager
    def waiting(self, key: int) -> Iterator[float]:
        """Count the block as waiting; yield when it began."""
        with waiting_write() as begun:
            with self._lock:
                self._since[key].append(begun)
            try:
                yield begun
            finally:
                with self._lock:
                    self._since[key].remove(begun)
                    if not self._since[key]:
                        del self._since[key]


_queue = _Queue()
# The large bodies that are being read.
_readers = _Queue()


def refuse_when_crowded(repository: Repository) -> None:
    """Raise `Problem` 503 if too many already wait, before any work is done for a request that would be refused."""
    if _queue.is_crowded(repository.pk):
        raise _busy()


@contextmanager
def reading_in_turn(repository: Repository, size: int) -> Iterator[None]:
    """Run the block, which reads a body of `size` bytes row by row, and keeps a thread for as long.

    Large ones count as waiting writes do, so that others have threads. Raises `Problem` 503 if too many are read.
    """
    if size < _LARGE:
        yield
        return
    with _readers.waiting(repository.pk) as since:
        while not _readers.has_room(repository.pk, since):
            if time.monotonic() - since > _MOMENT:
                raise _busy()
            time.sleep(_INSTANT)
        yield


@contextmanager
def writing_in_turn(repository: Repository) -> Iterator[None]:
    """Do as `writing_many`, for a thread of the web server. Raises `Problem` 503 if others write for too long."""
    try:
        with ExitStack() as stack:
            with _queue.waiting(repository.pk) as since:
                while not stack.enter_context(_turn(repository, since)):
                    pass
            yield
    except StillLocked:
        raise _busy() from None


@contextmanager
def _turn(repository: Repository, since: float) -> Iterator[bool]:
    """Do as `writing_many`, and yield whether it is the turn of the write that began to wait at `since`.

    It is not, but may be when asked again, if those ahead have gone. Raises `StillLocked` if it has waited too long.
    """
    longest = settings.BULK_WAIT_SECONDS if _queue.has_room(repository.pk, since) else _MOMENT
    left = since + longest - time.monotonic()
    if left <= 0:
        raise StillLocked
    with ExitStack() as stack:
        try:
            stack.enter_context(writing_many(repository, timeout=left))
        except StillLocked:
            yield False
        else:
            yield True


@contextmanager
def writing_one_in_turn(repository: Repository) -> Iterator[None]:
    """Run the block, which writes one element, in a transaction, for a thread of the web server.

    The first BULK_WAITERS wait for others as the database allows, and cost no statement more. Raises `Problem` 503 if
    the others would have to wait for long.
    """
    try:
        with _queue.waiting(repository.pk) as since:
            shortest = _INSTANT if _queue.is_crowded(repository.pk) else _MOMENT
            with writing_one(timeout=None if _queue.has_room(repository.pk, since) else shortest):
                yield
    except StillLocked:
        raise _busy() from None


def _busy() -> Problem:
    detail = _("Others are saving elements of this repository. Nothing was saved; try again in a few seconds.")
    return Problem(503, "REPOSITORY_BUSY", detail, headers={"Retry-After": "5"})
