"""The queue that wakes workers: django-q2's table in the database (design/jobs.md).

It may lose its content: the jobs are rows of their own. Every few seconds the broker adds a poll to the queue's tasks,
which is executed like any other task. So it proves that the worker works (`bulkops.worker.cluster`), and it finds jobs
even if the queue fails.
"""

import time
import uuid
from typing import TypeAlias

import structlog
from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django.utils.encoding import force_str
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.signing import SignedPackage
from django_q.tasks import async_task

from bulkops.jobs.heartbeat import interval

log = structlog.get_logger(__name__)

# The worker's tasks, by name: the queue must not import its importers.
_WORK = "bulkops.worker.tasks.work"
_NO_TIMEOUT = -1

# Tasks in django-q2's form: an acknowledgement, if any, and the signed text.
Tasks: TypeAlias = list[tuple[object, str]]


def wake_a_worker() -> None:
    """Have a worker poll for jobs as soon as the current transaction commits."""
    async_task(_WORK, save=False, timeout=_NO_TIMEOUT)


class PollingQueue(ORM):
    """A task is committed together with its job; every few seconds a poll for jobs is added.

    It keeps working while the table fails.
    """

    _next_poll = 0.0

    def dequeue(self) -> Tasks | None:
        """Return the next tasks; none after a short wait."""
        if time.monotonic() >= self._next_poll:
            self._next_poll = time.monotonic() + interval()
            return [(None, _poll())]
        try:
            tasks: Tasks | None = super().dequeue()
            return tasks and [(receipt, _signed_again(task)) for receipt, task in tasks]
        except (DatabaseError, InterfaceError) as error:
            log.warning("queue_unavailable", error=str(error))
            time.sleep(interval())
            return None

    def ping(self) -> bool:
        """Report success, so that the worker starts: a failing queue may recover later."""
        return True

    def set_stat(self, key: str, value: str, timeout: int) -> None:
        """Keep no statistics: `bulkops.models.Worker` has the workers."""


def _signed_again(task: str) -> str:
    """Return a task signed with one of SECRET_KEY_FALLBACKS as SECRET_KEY would sign it; any other unchanged.

    django-q2 supports a single key, but a queued task keeps the key of its time.
    """
    if not settings.SECRET_KEY_FALLBACKS:
        return task
    signer = TimestampSigner(salt=Conf.PREFIX)
    try:
        return signer.sign(signer.unsign(force_str(task, errors="replace")))
    except BadSignature:  # django-q2 reports it
        return task


def _poll() -> str:
    """Return a task that is not from the queue."""
    task = {"id": uuid.uuid4().hex, "name": "look for work", "func": _WORK, "args": (), "kwargs": {}}
    return str(SignedPackage.dumps(task | {"started": timezone.now(), "save": False, "timeout": _NO_TIMEOUT}))
