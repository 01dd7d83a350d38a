"""Writing elements of a repository with a limit on the time for locks; one writer of many elements at a time.

Each writer of many elements first locks the repository and then the elements. So two of them cannot deadlock, and
single writes, which lock one element, run in between.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction

from dimensions_site.db.locks import is_about_locks, sqlite_timeout
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
    try:
        with sqlite_timeout(SQLITE_TIMEOUT if timeout is None else timeout), transaction.atomic():
            if connection.vendor == "postgresql":
                _limit_locks(timeout)
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            if not is_trial:
                Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
            yield
    except OperationalError as error:
        if timeout is not None and is_about_locks(error):
            raise StillLocked from error
        raise


@contextmanager
def writing_one(*, timeout: float | None) -> Iterator[None]:
    """Run the block, which writes one element, in a transaction.

    It waits for locks as any transaction does. With a `timeout`, in seconds, it waits no longer than that for each and
    then raises `StillLocked`.
    """
    if timeout is None:
        with transaction.atomic():
            yield
        return
    try:
        with sqlite_timeout(timeout), transaction.atomic():
            if connection.vendor == "postgresql":
                _limit_locks(timeout)
            yield
    except OperationalError as error:
        if is_about_locks(error):
            raise StillLocked from error
        raise


def _limit_locks(timeout: float | None) -> None:
    """Set how many seconds the transaction waits for a lock on PostgreSQL; None: without limit."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {0 if timeout is None else max(1, int(timeout * 1000))}")


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
