"""Writing many elements at once: in turn, and with all the time that it takes.

Whoever writes many elements of a repository first locks the repository and then the elements. So two of them never
wait for each other for good, and single writes, which lock one element, fit in between.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction

from dimensions_site.repositories.locks import is_about_locks, sqlite_patience
from dimensions_site.repositories.models import Repository

# For how long a write of many elements waits for its turn on SQLite, in seconds; on PostgreSQL without an end.
SQLITE_PATIENCE = 3_600
# PostgreSQL's codes of errors.
_SERIALIZATION_FAILURE, _DEADLOCK = "40001", "40P01"
# Writers who wait on SQLite look whether it is their turn at least once in a tenth of a second.
_SQLITE_TURN = 0.12


class StillLocked(Exception):
    """Others write for longer than the caller's patience; nothing of his own was written."""


@contextmanager
def writing_many(repository: Repository, *, patience: float | None = None) -> Iterator[None]:
    """A transaction in which the caller alone writes many elements of the `repository`.

    It waits for the other writers of many however long it takes, and its own statements wait without a limit: it
    would lose much work otherwise. With a `patience`, in seconds, it waits no longer than that for any lock and then
    raises `StillLocked`.
    """
    try:
        with sqlite_patience(SQLITE_PATIENCE if patience is None else patience), transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    limit = 0 if patience is None else max(1, int(patience * 1000))
                    cursor.execute(f"SET LOCAL lock_timeout = {limit}")
                    cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
            yield
    except OperationalError as error:
        if patience is not None and is_about_locks(error):
            raise StillLocked from error
        raise


def let_others_write() -> None:
    """Let whoever waits have a turn between two transactions of one writer.

    PostgreSQL sees to that by itself; on SQLite who asks at the right moment wins, and that would be the one who
    has just been writing.
    """
    if connection.vendor == "sqlite":
        time.sleep(_SQLITE_TURN)


def is_worth_another_try(error: OperationalError) -> bool:
    """Whether the database has undone the caller's savepoint so that others could go on, and asks to try again."""
    return getattr(error.__cause__, "sqlstate", None) in (_DEADLOCK, _SERIALIZATION_FAILURE)
