"""Heartbeats: how a worker shows that it works, to its own processes and, in the database, to everyone (contract H3).

The processes of one worker share memory without a lock, because a process that is killed while it holds a lock would
leave it locked for ever.
"""

import os
import socket
import time
import uuid
from datetime import timedelta
from multiprocessing.sharedctypes import RawValue
from threading import Event, Thread
from types import TracebackType
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from bulkops.models import FileImport, Worker
from dimensions_site.db.transactions import sqlite_timeout

log = structlog.get_logger(__name__)

# Seconds between two heartbeats of an import, which update its progress.
_IMPORT_INTERVAL = 1.0


class Heartbeat:
    """When a process of this worker last finished some work, and whether the worker has to stop.

    Made before the processes are, so that they all share it. `worker` is a name that no other worker has.
    """

    def __init__(self) -> None:
        self.worker = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._last = RawValue("d", 0)
        self._is_ending = RawValue("b", 0)

    def beat(self) -> None:
        """Record that some work was just finished."""
        self._last.value = time.monotonic()  # one clock for all processes of a machine

    @property
    def last(self) -> float | None:
        """Return the time of the last finished work, by the monotonic clock."""
        return float(self._last.value) or None

    def reset(self) -> None:
        """Start over: new processes start, and none of them has finished anything."""
        self._last.value = 0

    def end(self) -> None:
        """Ask all processes to stop as soon as they can without losing work."""
        self._is_ending.value = 1

    @property
    def is_ending(self) -> bool:
        return bool(self._is_ending.value)

    def record(self, silent_for: timedelta) -> None:
        """Store in the database when this worker last finished some work."""
        beat_at = Now() - silent_for
        if not Worker.objects.filter(name=self.worker).update(beat_at=beat_at):
            Worker.objects.create(name=self.worker, beat_at=beat_at)


heartbeat = Heartbeat()


def interval() -> float:
    """Return the most seconds between heartbeats of a working worker: it counts as lost after six times as many."""
    lost_after: int = settings.WORKER_LOST_AFTER_SECONDS
    return lost_after / 6


def since_last_heartbeat() -> timedelta | None:
    """Return the time since the last heartbeat of any worker; None if there is no worker."""
    last = Worker.objects.annotate(silent_for=Now() - F("beat_at")).order_by("-beat_at").first()
    return None if last is None else last.silent_for


def is_lost(silent_for: timedelta) -> bool:
    """Return whether a worker without a heartbeat for this long counts as lost."""
    return silent_for.total_seconds() >= settings.WORKER_LOST_AFTER_SECONDS + 1


def is_worker_running() -> bool:
    """Return whether a worker had a heartbeat lately."""
    silent_for = since_last_heartbeat()
    return silent_for is not None and not is_lost(silent_for)


class Interrupted(Exception):
    """The work is no longer wanted, or another worker has to do it."""


class ImportHeartbeat:
    """Stores the heartbeat and the progress of an import, in a thread with its own connection.

    So they are visible while the import is still one transaction. On SQLite nothing can be stored while that
    transaction writes; then the last values stand. `held` is the import while its claim is held.
    """

    def __init__(self, oid: str, held: QuerySet[FileImport]) -> None:
        self._oid = oid
        self._held = held
        self._state: dict[str, Any] = {}
        self._is_lost = False
        self._is_over = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> "ImportHeartbeat":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def report(self, phase: str, share: float, _rows: int = 0) -> None:
        """Record the progress. Raises `Interrupted` if the import has to stop here."""
        self._state = {"phase": phase, "progress": share}
        if self._is_lost or heartbeat.is_ending:
            raise Interrupted

    def _run(self) -> None:
        try:
            while not self._is_over.wait(min(_IMPORT_INTERVAL, interval())):
                heartbeat.beat()
                self._write()
        finally:
            connection.close()

    def _write(self) -> None:
        try:
            with sqlite_timeout(_IMPORT_INTERVAL):
                self._is_lost = not self._held.update(heartbeat=Now(), **self._state)
        except (DatabaseError, InterfaceError) as error:
            log.debug("heartbeat_not_stored", oid=self._oid, error=str(error))
            connection.close_if_unusable_or_obsolete()
