"""The worker: django-q's cluster of processes, and this one, which watches it.

A cluster can stop doing anything although its processes live. One that is killed while it takes a task from their
common queue leaves that queue locked for ever, and it is the same with the other locks that they have in common. So
the watch believes nothing but work that was done, and else starts the cluster anew.
"""

import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from types import FrameType
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now
from django_q.cluster import Cluster
from django_q.signals import post_execute

from bulkops.claims import release
from bulkops.kinship import end_children_with_their_parent
from bulkops.models import Worker
from bulkops.pulse import interval, pulse
from bulkops.tasks import schedule_cleaning
from bulkops.worker_metrics import answered_metrics
from dimensions_site.repositories.locks import sqlite_patience

log = structlog.get_logger(__name__)

# How often the watch looks, in seconds.
_CYCLE = 0.2
# How long the cluster may go on with what it cannot interrupt when it is to end, in seconds.
_GRACE = 10
# How many seconds the watch waits for SQLite's lock at most: meanwhile it neither looks nor hears that it is to end.
_WAITING = 4


def run() -> None:
    """Work until SIGTERM or SIGINT asks to end; return when every process has ended."""
    watch = _Watch()
    # In its own handlers, which the cluster has just set, it would wait for all its processes.
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    end_children_with_their_parent()
    post_execute.connect(_done)
    with answered_metrics():
        watch.start()
        while not pulse.is_ending:
            watch.look()
            time.sleep(_CYCLE)
        watch.stop()


def _end(number: int, frame: FrameType | None) -> None:
    pulse.end()


def _done(sender: object, **arguments: Any) -> None:
    """A task has gone all the way: through the queue, the process that did it, and the one that keeps the results."""
    pulse.beat()


class _Watch:
    """Starts, watches and ends the processes of the cluster."""

    def __init__(self) -> None:
        self._cluster = Cluster()
        self._started = 0.0
        self._next_sign = 0.0
        self._cleans = False

    def start(self) -> None:
        """Start the processes."""
        self._started = time.monotonic()
        pulse.forget()
        connection.close()  # they must not use a connection of this process
        try:
            self._cluster.start()
        except RuntimeError:
            return  # they ended at once, which django-q has logged; the watch tries again
        log.info("worker_started", worker=pulse.worker)
        self._cleans = _try(schedule_cleaning)

    def look(self) -> None:
        """Tell that the cluster works, or start it anew when it does not."""
        now = time.monotonic()
        silent_for = now - (pulse.last_beat or self._started)
        is_dead = not self._cluster.sentinel.is_alive() and now - self._started > interval()
        if is_dead or silent_for > settings.WORKER_LOST_AFTER_SECONDS:
            log.error("worker_restarted", worker=pulse.worker, silent_for=round(silent_for, 1))
            self._kill()
            self.start()
        elif pulse.last_beat and now >= self._next_sign:
            self._next_sign = now + interval()
            _try(lambda: _sign(timedelta(seconds=silent_for)))
            self._cleans = self._cleans or _try(schedule_cleaning)

    def stop(self) -> None:
        """End the processes, after what they cannot interrupt."""
        # If a process was killed a moment ago, setting the event may wait for ever. Everything ends with this process.
        signal.alarm(3 * _GRACE)
        self._cluster.stop_event.set()
        self._cluster.sentinel.join(_GRACE)
        self._kill()
        _try(Worker.objects.filter(name=pulse.worker).delete)
        log.info("worker_ended", worker=pulse.worker)

    def _kill(self) -> None:
        """End the processes that are left at once: the sentinel, and with it its children."""
        if self._cluster.sentinel.is_alive():
            os.kill(self._cluster.sentinel.pid, signal.SIGKILL)
        self._cluster.sentinel.join()
        _try(lambda: release(pulse.worker))


def _sign(silent_for: timedelta) -> None:
    """Write when something was last done."""
    beat_at = Now() - silent_for
    if not Worker.objects.filter(name=pulse.worker).update(beat_at=beat_at):
        Worker.objects.create(name=pulse.worker, beat_at=beat_at)


def _try(write: Callable[[], object]) -> bool:
    """Write to the database, unless it is out of order: the watch goes on without it. Whether it is written."""
    try:
        with sqlite_patience(min(interval(), _WAITING)):
            write()
        return True
    except (DatabaseError, InterfaceError) as error:
        log.warning("database_unavailable", error=str(error))
        connection.close_if_unusable_or_obsolete()
        return False
