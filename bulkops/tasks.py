"""What the worker does, by the names that stand in the queue and in the schedule."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models.functions import Now
from django_q.models import Schedule

from bulkops import deletion, file_imports, import_work
from bulkops.claims import Claim, claim_next
from bulkops.models import DataProcessing, FileImport, Job, Worker
from bulkops.observed_jobs import observed_job
from bulkops.pulse import pulse
from dimensions_site.idempotency.answers import forget_old
from dimensions_site.idempotency.locks import remove_leftovers
from dimensions_site.repositories.guesses import forget_attempts
from dimensions_site.tokens.cleaning import forget_expired

log = structlog.get_logger(__name__)

# A worker that ended without a word is kept as long as somebody might ask for it.
_KEPT_WORKERS = timedelta(days=1)
_RUN: Mapping[type[Job], Callable[[Claim[Any]], None]] = {DataProcessing: deletion.run, FileImport: import_work.run}
_CLEANING = "Forget processings that ended long ago"


def work() -> None:
    """Do the deletions and imports that wait, one after the other, until none is left or this worker is to end."""
    try:
        while not pulse.is_ending and (claim := claim_next(pulse.worker)):
            with observed_job(claim):
                _RUN[claim.kind.model](claim)
    except (DatabaseError, InterfaceError) as error:
        # It will be asked again in some seconds.
        log.warning("database_unavailable", error=str(error))


def clean() -> None:
    """Forget what ended longer ago than it is kept, abandoned imports, answers, tokens, and lost workers."""
    kept = timedelta(days=settings.DATA_PROCESSING_RETENTION_DAYS)
    for model in (DataProcessing, FileImport):
        model._default_manager.filter(finished_at__lt=Now() - kept).only("pk").delete()
    file_imports.drop_forgotten()
    forget_old()
    remove_leftovers()
    forget_expired()
    forget_attempts()
    Worker.objects.filter(beat_at__lt=Now() - _KEPT_WORKERS).delete()


def schedule_cleaning() -> None:
    """Have it done once a day. Two workers that start at the same moment may schedule it twice, which does no harm."""
    done = {"func": "bulkops.tasks.clean", "schedule_type": Schedule.DAILY, "repeats": -1}
    if not Schedule.objects.filter(name=_CLEANING).update(**done):
        Schedule.objects.create(name=_CLEANING, **done)
