"""The worker: django-q's cluster of processes, and this process, which watches it (design/jobs.md).

A cluster can hang although its processes live: a process that is killed while it takes a task leaves the common queue
locked for ever, and so with their other common locks. So the watch trusts only finished work, and otherwise restarts
the cluster.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Model
from django_q.cluster import Cluster
from django_q.signals import post_execute

from bulkops.jobs.claims import release
from bulkops.jobs.heartbeat import heartbeat, interval
from bulkops.models import Worker
from bulkops.worker.mail import MailProcess
from bulkops.worker.processes import answered_metrics, kill_children_with_their_parent
from bulkops.worker.tasks import schedule_cleaning
from dimensions_site.changes.models import ChangeSet
from dimensions_site.db.transactions import sqlite_timeout
from dimensions_site.elements.dimension import dimensions
from dimensions_site.observability.observation import running_release
from dimensions_site.repositories.models import AccessChange

log = structlog.get_logger(__name__)

# How often the watch checks, in seconds.
_CYCLE = 0.2
# How long the cluster may finish what it cannot interrupt when it has to stop, in seconds.
_GRACE = 10
# How many seconds the watch waits for SQLite's lock at most: meanwhile it neither checks nor notices a stop.
_WAITING = 4


def run() -> None:
    """Work until SIGTERM or SIGINT; return when every process has ended."""
    watch = _Watch()
    # The cluster has just set its own handlers, in which it would wait for all its processes.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: heartbeat.end())
    kill_children_with_their_parent()
    post_execute.connect(_done)
    with answered_metrics(), closing(MailProcess()) as mail:
        watch.start()
        while not heartbeat.is_ending:
            watch.check()
            mail.check()
            time.sleep(_CYCLE)
        watch.stop()


def _done(sender: object, **arguments: Any) -> None:
    """Record that a task has passed through the queue, the process that did it, and the one that keeps the results."""
    heartbeat.beat()


class _Watch:
    def __init__(self) -> None:
        self._cluster = Cluster()
        self._started = 0.0
        self._next_record = 0.0
        self._cleans = False

    def start(self) -> None:
        self._started = time.monotonic()
        heartbeat.reset()
        connection.close()  # they must not use a connection of this process
        try:
            self._cluster.start()
        except RuntimeError:
            return  # they ended at once, which django-q has logged; the watch tries again
        log.info("worker_started", worker=heartbeat.worker, **running_release())
        self._cleans = _try(_prepare)

    def check(self) -> None:
        """Record that the cluster works, or restart it if it does not."""
        now = time.monotonic()
        silent_for = now - (heartbeat.last or self._started)
        is_dead = not self._cluster.sentinel.is_alive() and now - self._started > interval()
        if is_dead or silent_for > settings.WORKER_LOST_AFTER_SECONDS:
            log.error("worker_restarted", worker=heartbeat.worker, silent_for=round(silent_for, 1))
            self._kill()
            self.start()
        elif heartbeat.last and now >= self._next_record:
            self._next_record = now + interval()
            _try(lambda: heartbeat.record(timedelta(seconds=silent_for)))
            self._cleans = self._cleans or _try(_prepare)

    def stop(self) -> None:
        """End the processes, after what they cannot interrupt."""
        # If a process was killed a moment ago, setting the event may wait for ever. Everything ends with this process.
        signal.alarm(3 * _GRACE)
        self._cluster.stop_event.set()
        self._cluster.sentinel.join(_GRACE)
        self._kill()
        _try(Worker.objects.filter(name=heartbeat.worker).delete)
        log.info("worker_ended", worker=heartbeat.worker)

    def _kill(self) -> None:
        """Kill the remaining processes at once: the sentinel, and with it its children."""
        if self._cluster.sentinel.is_alive():
            os.kill(self._cluster.sentinel.pid, signal.SIGKILL)
        self._cluster.sentinel.join()
        _try(lambda: release(heartbeat.worker))


def _prepare() -> None:
    """Have old records removed each day, and warn if the service's own role can rewrite the history."""
    schedule_cleaning()
    if tables := rewritable_tables():
        log.warning("history_rewritable", tables=tables, advice="see docs/operators/installing.md, Two roles")


def rewritable_tables() -> list[str]:
    """Return the tables of the history and of the access changes that the service's role may rewrite, by name.

    Always empty on SQLite, which has no roles. On PostgreSQL docs/deploy/roles.sql takes these rights away.
    """
    if connection.vendor != "postgresql":
        return []
    versions = (dimension.model.version_model for dimension in dimensions())
    models: list[type[Model]] = [*versions, ChangeSet, AccessChange]
    tables = [model._meta.db_table for model in models]
    query = (
        "SELECT name FROM unnest(%s::text[]) AS name "
        "WHERE has_table_privilege(name, 'UPDATE') OR has_table_privilege(name, 'DELETE')"
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [tables])
        return sorted(name for (name,) in cursor.fetchall())


def _try(write: Callable[[], object]) -> bool:
    """Write to the database, and return whether it was possible: the watch goes on without it."""
    try:
        with sqlite_timeout(min(interval(), _WAITING)):
            write()
        return True
    except (DatabaseError, InterfaceError) as error:
        log.warning("database_unavailable", error=str(error))
        connection.close_if_unusable_or_obsolete()
        return False
