"""Run at most one request per key at a time; the locks end with their process, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

from django.db import OperationalError, connection, transaction

from dimensions_site.db.transactions import sqlite_timeout


class StillRunning(Exception):
    """Another request holds the lock."""


@contextmanager
def transaction_of_one(name: bytes, timeout: float | None) -> Iterator[None]:
    """Run a transaction that excludes others with the same `name` of 32 bytes.

    Raises `StillRunning` at once if another one runs. On SQLite it waits for any other writer, at most `timeout`
    seconds if given.
    """
    if connection.vendor == "postgresql":
        # The lock belongs to the transaction, not the session: it works behind a connection pooler, and cannot be left
        # behind.
        with transaction.atomic():
            if not _is_ours(int.from_bytes(name[:8], signed=True)):
                raise StillRunning
            yield
    else:
        # Waiting for SQLite's only lock would delay the second request instead of rejecting it.
        waiting = nullcontext() if timeout is None else sqlite_timeout(timeout)
        with _file_lock(_folder() / name.hex()), waiting, transaction.atomic():
            yield


def remove_leftovers() -> None:
    """Delete the lock files of processes that were killed."""
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
    """Lock the file, and delete it at the end. The operating system releases the lock when the process is killed."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        file = _locked(path)
    except OSError as error:
        raise OperationalError(f"The lock file {path} cannot be created: {error}") from error
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
        file.close()  # the previous holder has deleted it meanwhile: others would create and lock another file


def _is_at(path: Path, file: IO[bytes]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
