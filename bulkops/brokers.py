"""The queues from which django-q's worker takes its tasks: a table of the database, or a list in Redis.

To what is queued they add a look for work every few seconds. It is taken, done and reported like any other task. So it
proves that the worker works (`bulkops.worker`), and it finds what is to be done even if the queue has lost everything,
or is out of order.
"""

import time
import uuid
from typing import TypeAlias

import redis
import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.utils import timezone
from django_q.brokers import Broker
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.signing import SignedPackage
from redis.backoff import NoBackoff
from redis.retry import Retry

from bulkops.pulse import interval
from bulkops.queue import NO_TIMEOUT, WORK

log = structlog.get_logger(__name__)

# Tasks as django-q wants them: what acknowledges each, if anything, and its signed text.
Tasks: TypeAlias = list[tuple[object, str]]


class _Looking(Broker):
    """Hands out a look for work every few seconds, and survives that the queue behind it is out of order."""

    _next_look = 0.0

    def dequeue(self) -> Tasks | None:
        """Return the next tasks; none after a short wait for them."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + interval()
            return [(None, _look())]
        try:
            tasks: Tasks | None = super().dequeue()
        except (DatabaseError, InterfaceError, redis.RedisError) as error:
            log.warning("queue_unavailable", error=str(error))
            time.sleep(interval())
            return None
        return tasks

    def ping(self) -> bool:
        """Let the worker start; a queue that is out of order now is in order later."""
        return True

    def set_stat(self, key: str, value: str, timeout: int) -> None:
        """Keep no statistics: `bulkops.models.Worker` tells who works."""


def _look() -> str:
    """A task that nobody put into the queue."""
    return str(
        SignedPackage.dumps(
            {
                "id": uuid.uuid4().hex,
                "name": "look for work",
                "func": WORK,
                "args": (),
                "kwargs": {},
                "started": timezone.now(),
                "save": False,
                "timeout": NO_TIMEOUT,
            }
        )
    )


class DatabaseQueue(_Looking, ORM):
    """The queue in the database: a task is committed with what it is about."""


class RedisQueue(_Looking, Redis):
    """The queue in Redis, which is quicker, and of which nothing else may depend."""

    def enqueue(self, task: str) -> None:
        """Queue the task when the caller's transaction is committed; a Redis that is out of order is only logged."""
        transaction.on_commit(lambda: self._push(task))

    def _push(self, task: str) -> None:
        try:
            super().enqueue(task)
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))

    @staticmethod
    def get_connection(list_key: str | None = None) -> redis.Redis:
        """A connection that gives up soon: nobody has to wait for this queue."""
        return redis.Redis.from_url(
            settings.BROKER_URL, socket_connect_timeout=2, socket_timeout=5, retry=Retry(NoBackoff(), 0)
        )
