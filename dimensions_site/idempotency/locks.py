"""At most one request with a key at a time, by locks that end with their holder, however that ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

from django.db import OperationalError, connection, transaction

from dimensions_site.repositories.locks import sqlite_patience


class StillRunning(Exception):
    """Another request holds the lock."""


@contextmanager
def transaction_of_one(name: bytes, patience: float | None) -> Iterator[None]:
    """A transaction that no other one with this `name`, of 32 bytes, runs beside.

    Raises `StillRunning` at once when there is one. On SQLite it waits for other writers of any kind, with a
    `patience`, in seconds, for so long.
    """
    if connection.vendor == "postgresql":
        # The lock is the transaction's and not the session's: so it also holds behind a pool of connections, and
        # nothing can be left locked.
        with transaction.atomic():
            if not _is_ours(int.from_bytes(name[:8], signed=True)):
                raise StillRunning
            yield
    else:
        # The one lock of SQLite would let others wait instead of telling them.
        waiting = nullcontext() if patience is None else sqlite_patience(patience)
        with _file_lock(_folder() / name.hex()), waiting, transaction.atomic():
            yield


def remove_leftovers() -> None:
    """Remove the files of locks whose holders were killed."""
    if connection.vendor == "sqlite" and _folder().exists():
        for path in _folder().iterdir():
            with suppress(StillRunning), _file_lock(path):
                pass


def _is_ours(number: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])


def _folder() -> Path:
    return Path(f"{connection.settings_dict['NAME']}-keys")


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Hold the file, which is there only for so long. The operating system frees it when the process is killed."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        file = _locked(path)
    except OSError as error:
        raise OperationalError(f"There can be no lock at {path}: {error}") from error
    with file:
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _locked(path: Path) -> IO[bytes]:
    while True:
        file = path.open("wb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, file):
                return file
        except BlockingIOError:
            file.close()
            raise StillRunning from None
        file.close()  # its holder has removed it in between: what is locked is not what others would find


def _is_at(path: Path, file: IO[bytes]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
