"""The worker's tasks, by their names in the queue and in the schedule."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models.functions import Now
from django_q.models import Schedule

from bulkops.jobs import deletion, file_imports, import_work
from bulkops.jobs.claims import Claim, claim_next, observed_job
from bulkops.jobs.heartbeat import heartbeat
from bulkops.models import DataProcessing, FileImport, Job, Worker
from bulkops.plans.stored import delete_old_plans
from dimensions_site.idempotency.answers import delete_old_answers
from dimensions_site.idempotency.locks import remove_leftovers
from dimensions_site.repositories.login.lockout import delete_old_failures
from dimensions_site.tokens.ending import delete_expired_tokens

log = structlog.get_logger(__name__)

# The row of a dead worker is kept as long as an alert may look for it.
_KEPT_WORKERS = timedelta(days=1)
_RUN: Mapping[type[Job], Callable[[Claim[Any]], None]] = {DataProcessing: deletion.run, FileImport: import_work.run}
_CLEANING = "Delete what has expired"


def work() -> None:
    """Do the waiting deletions and imports, one after the other, until none is left or this worker has to stop."""
    try:
        while not heartbeat.is_ending and (claim := claim_next(heartbeat.worker)):
            with observed_job(claim):
                _RUN[claim.kind.model](claim)
    except (DatabaseError, InterfaceError) as error:
        # The next poll is a few seconds away.
        log.warning("database_unavailable", error=str(error))


def clean() -> None:
    """Delete what has expired: ended jobs, abandoned imports, old plans, stored answers, tokens, and lost workers."""
    kept = timedelta(days=settings.DATA_PROCESSING_RETENTION_DAYS)
    for model in (DataProcessing, FileImport):
        model._default_manager.filter(finished_at__lt=Now() - kept).only("pk").delete()
    file_imports.drop_abandoned()
    delete_old_plans()
    delete_old_answers()
    remove_leftovers()
    delete_expired_tokens()
    delete_old_failures()
    Worker.objects.filter(beat_at__lt=Now() - _KEPT_WORKERS).delete()


def schedule_cleaning() -> None:
    """Schedule the cleaning once a day. Two workers that start at the same moment may both schedule it, which is
    harmless.
    """
    done = {"func": "bulkops.worker.tasks.clean", "schedule_type": Schedule.DAILY, "repeats": -1}
    if not Schedule.objects.filter(name=_CLEANING).update(**done):
        Schedule.objects.create(name=_CLEANING, **done)
