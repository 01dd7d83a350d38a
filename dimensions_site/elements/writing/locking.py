"""Writing elements of a repository with a limit on the time for locks; one writer of many elements at a time.

Each writer of many elements first locks the repository and then the elements. So two of them cannot deadlock, and
single writes, which lock one element, run in between.
"""

import time
from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Problem
from dimensions_site.db.read_limits import has_free_thread, waiting_write, waits_before
from dimensions_site.db.shards import is_sharded
from dimensions_site.db.transactions import is_about_locks, sqlite_timeout
from dimensions_site.repositories.models import Repository

# How long a write of many elements waits for its turn on SQLite, in seconds; on PostgreSQL there is no limit.
SQLITE_TIMEOUT = 3_600
# PostgreSQL's error codes.
_SERIALIZATION_FAILURE, _DEADLOCK = "40001", "40P01"
# Waiting writers on SQLite poll at least ten times a second.
_SQLITE_TURN = 0.12


class StillLocked(Exception):
    """Other writers took longer than the timeout; nothing was written."""


@contextmanager
def writing_many(repository: Repository, *, timeout: float | None = None, is_trial: bool = False) -> Iterator[None]:
    """Run the block in a transaction that is the only one to write many elements of the `repository`.

    It waits for the other writers as long as necessary, and its own statements have no time limit, because much work
    would be lost. With a `timeout`, in seconds, it waits no longer than that for any lock and then raises
    `StillLocked`. A trial, whose writes are rolled back, runs beside other writers of many elements: it locks only the
    elements that it tries.
    """
    with _limited_locks(timeout):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        if not is_trial:
            Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
        yield


@contextmanager
def _limited_locks(timeout: float | None) -> Iterator[None]:
    """Run the block in a transaction that waits so many seconds for each lock; None: without limit.

    Raises `StillLocked` if others hold it for longer.
    """
    try:
        with sqlite_timeout(SQLITE_TIMEOUT if timeout is None else timeout), transaction.atomic():
            if connection.vendor == "postgresql":
                limit = 0 if timeout is None else max(1, int(timeout * 1000))
                # The locks of elements are those of their shard's worker.
                on_workers = "SET LOCAL citus.propagate_set_commands = 'local'; " if is_sharded() else ""
                with connection.cursor() as cursor:
                    cursor.execute(f"{on_workers}SET LOCAL lock_timeout = {limit}")
            yield
    except OperationalError as error:
        if timeout is not None and is_about_locks(error):
            raise StillLocked from error
        raise


def let_others_write() -> None:
    """Let waiting writers have a turn between two transactions of one writer.

    PostgreSQL does so by itself. On SQLite the writer that polls at the right moment wins, and without a pause that
    would be the one that has just written.
    """
    if connection.vendor == "sqlite":
        time.sleep(_SQLITE_TURN)


def is_worth_another_try(error: OperationalError) -> bool:
    """Return whether the database rolled back the savepoint because of others, so that trying again makes sense."""
    return getattr(error.__cause__, "sqlstate", None) in (_DEADLOCK, _SERIALIZATION_FAILURE)


# How long a write waits, in seconds, if BULK_WAITERS are ahead of it. Once as many have waited longer, a bulk save is
# refused at once.
_SHORT_WAIT = 1.0
# How long a single write waits then, in seconds: most lock an element that nobody else writes, and need not wait.
_SHORTEST_WAIT = 0.05
# A body from this many bytes on may take longer than a short wait to be read.
_LARGE = 4 * 1024**2


def _is_crowded(repository: Repository) -> bool:
    """Return whether the maximum number has waited for more than the short wait."""
    return waits_before(time.monotonic() - _SHORT_WAIT, _writers(repository)) >= settings.BULK_WAITERS


def _has_room(queue: Hashable, since: float) -> bool:
    """Return whether fewer than the maximum number began before, and leave a thread to other clients."""
    return waits_before(since, queue) < settings.BULK_WAITERS and has_free_thread(since)


def _writers(repository: Repository) -> Hashable:
    """Return the queue of the writes of the `repository` that wait for their turn; a single write always counts."""
    return "writers", repository.pk


def refuse_when_crowded(repository: Repository) -> None:
    """Raise `Problem` 503 if too many already wait, before any work is done for a request that would be refused."""
    if _is_crowded(repository):
        raise _busy()


@contextmanager
def reading_in_turn(repository: Repository, size: int) -> Iterator[None]:
    """Run the block, which reads a body of `size` bytes row by row, and keeps a thread for as long.

    Large ones count as waiting writes do, so that others have threads. Raises `Problem` 503 if too many are read.
    """
    if size < _LARGE:
        yield
        return
    readers = "readers of large bodies", repository.pk
    with waiting_write(readers) as since:
        while not _has_room(readers, since):
            if time.monotonic() - since > _SHORT_WAIT:
                raise _busy()
            time.sleep(_SHORTEST_WAIT)
        yield


@contextmanager
def writing_in_turn(repository: Repository) -> Iterator[None]:
    """Do as `writing_many`, for a thread of the web server. Raises `Problem` 503 if others write for too long."""
    try:
        with ExitStack() as stack, waiting_write(_writers(repository)) as since:
            has_turn = False
            while not has_turn:
                # Perhaps for longer than before, if those ahead have gone.
                longest = settings.BULK_WAIT_SECONDS if _has_room(_writers(repository), since) else _SHORT_WAIT
                left = since + longest - time.monotonic()
                if left <= 0:
                    raise StillLocked
                with suppress(StillLocked):
                    stack.enter_context(writing_many(repository, timeout=left))
                    has_turn = True
            turn = stack.pop_all()
        with turn:
            yield
    except StillLocked:
        raise _busy() from None


@contextmanager
def writing_one_in_turn(repository: Repository) -> Iterator[None]:
    """Run the block, which writes one element, in a transaction, for a thread of the web server.

    The first BULK_WAITERS wait for others as the database allows, and cost no statement more. Raises `Problem` 503 if
    the others would have to wait for long.
    """
    try:
        with waiting_write(_writers(repository)) as since:
            shortest = _SHORTEST_WAIT if _is_crowded(repository) else _SHORT_WAIT
            with transaction.atomic() if _has_room(_writers(repository), since) else _limited_locks(shortest):
                yield
    except StillLocked:
        raise _busy() from None


def _busy() -> Problem:
    detail = _("Others are saving elements of this repository. Nothing was saved; try again in a few seconds.")
    return Problem(503, "REPOSITORY_BUSY", detail, headers={"Retry-After": "5"})
