"""Claims: at any time at most one worker has a job (contract F2, F6; design/jobs.md); and what is logged of it."""

import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any, Generic, TypeVar, cast

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Now

from bulkops.jobs import file_imports, processing
from bulkops.jobs.heartbeat import Interrupted
from bulkops.models import DataProcessing, FileImport, Job, Status
from dimensions_site.observability import metrics
from dimensions_site.observability.observation import Observed, current_observation, observing
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import repositories_open_to

log = structlog.get_logger(__name__)

# How often a job is attempted without progress. The pauses take more than a minute in total, so that a short failure of
# the database does not fail a job.
ATTEMPTS = 5
_FIRST_PAUSE = timedelta(seconds=5)

J = TypeVar("J", bound=Job)


@dataclass(frozen=True)
class JobKind(Generic[J]):
    """A kind of job: its name in logs and metrics, its `active` states, which need a worker, and how one fails."""

    name: str
    model: type[J]
    active: Collection[str]
    fail: Callable[[J, str], None]

    @property
    def jobs(self) -> QuerySet[J]:
        return self.model._default_manager.filter(status__in=self.active)

    @property
    def claimable(self) -> QuerySet[J]:
        """Return the unclaimed jobs, and those whose worker has sent no heartbeat for too long, the oldest first.

        Those of repositories with a job at work come last, so that one tenant does not have all workers.
        """
        lost_after = timedelta(seconds=settings.WORKER_LOST_AFTER_SECONDS)
        free = Q(claimed_by=None, due_at__lte=Now()) | Q(heartbeat__lt=Now() - lost_after)
        at_work = Q(repository=OuterRef("repository"), heartbeat__gte=Now() - lost_after)
        is_behind = reduce(or_, (Exists(kind.jobs.filter(at_work)) for kind in KINDS))
        ordered = self.jobs.filter(free).annotate(is_behind=is_behind).order_by("is_behind", "due_at", "pk")
        return cast(QuerySet[J], ordered)


KINDS: tuple[JobKind[Any], ...] = (
    JobKind("deletion", DataProcessing, [Status.RUNNING], processing.fail),
    JobKind("import", FileImport, file_imports.AT_WORK, file_imports.fail),
)


@dataclass(frozen=True)
class Claim(Generic[J]):
    """The right to work on one job, as long as the job has this token."""

    kind: JobKind[J]
    oid: str
    token: str

    @property
    def held(self) -> QuerySet[J]:
        """Return the job as a query, which is empty once it has ended or another worker has taken it over."""
        return self.kind.jobs.filter(oid=self.oid, claimed_by=self.token)

    def beat(self) -> bool:
        """Send a heartbeat for the job; return False if the claim is no longer held."""
        return self.held.update(heartbeat=Now()) == 1

    def give_back(self) -> None:
        """Let any worker continue at once."""
        self.held.update(claimed_by=None, heartbeat=None, attempts=F("attempts") - 1)

    def give_up(self, happened: str) -> None:
        """Allow another attempt after an increasing pause; or fail the job with what `happened` at the last attempt."""
        with transaction.atomic():
            job = self.held.select_for_update(no_key=True).first()
            if job is None:
                return
            if job.attempts >= ATTEMPTS:
                self.kind.fail(job, happened)
                return
            pause = _FIRST_PAUSE * 2 ** (job.attempts - 1)
            self.held.update(claimed_by=None, heartbeat=None, due_at=Now() + pause)


def may_go_on(job: Job, role: Role) -> bool:
    """Return whether who has requested the `job`, and may have lost rights since, still has the `role` for it."""
    user = job.requested_by
    if user is None or not user.is_active:
        return False
    return repositories_open_to(user, job.dimension, role).filter(pk=job.repository_id).exists()


@contextmanager
def attempt(claim: Claim[J], event: str) -> Iterator[J | None]:
    """Work on the job of the claim within the block, None if the claim is no longer held; log lines name the job.

    An exception is logged as `event`, and the claim is given up. A block that is `Interrupted` gives the claim back.
    """
    try:
        job = claim.held.select_related("repository", "requested_by").first()
        if job is not None and (observed := current_observation()):
            observed.name(user=job.requester, repository=job.repository.db_id, dimension=job.dimension)
        yield job
    except Interrupted:
        claim.give_back()
    except Exception as error:
        is_of_database = isinstance(error, DatabaseError | InterfaceError)
        log.exception(event, oid=claim.oid)
        # After a database error, the connection may be unusable.
        connection.close_if_unusable_or_obsolete()
        claim.give_up("the database failed" if is_of_database else "the service itself failed")


def claim_next(worker: str) -> Claim[Any] | None:
    """Claim, for `worker`, the first job that no live worker has; return None if there is none.

    That is a waiting job, or one whose worker has sent no heartbeat for too long. One that was attempted too often
    without success fails here: its workers did not survive it.
    """
    for kind in _kinds_in_turn():
        claim = _claim_next(kind, worker)
        if claim is not None:
            return claim
    return None


def _kinds_in_turn() -> list[JobKind[Any]]:
    """Return the kinds of jobs, that of the first claimable job first; none if no job can be claimed."""
    # One query and no transaction, for which all writers would wait on SQLite.
    of_each = [
        kind.claimable.order_by().annotate(kind=Value(number)).values_list("is_behind", "due_at", "kind")
        for number, kind in enumerate(KINDS)
    ]
    first_job = of_each[0].union(*of_each[1:], all=True).order_by("is_behind", "due_at").first()
    if first_job is None:
        return []
    first = KINDS[first_job[-1]]
    return [first, *(kind for kind in KINDS if kind is not first)]


def _claim_next(kind: JobKind[J], worker: str) -> Claim[J] | None:
    while True:
        with transaction.atomic():
            # Another worker claims, aborts or works on a job that it has locked.
            job = kind.claimable.select_for_update(skip_locked=True, no_key=True).first()
            if job is None:
                return None
            if job.attempts >= ATTEMPTS:
                kind.fail(job, "the worker process ended unexpectedly")
                continue
            if job.claimed_by is not None:
                log.warning("processing_taken_over", oid=job.oid, lost=job.claimed_by)
            claim = Claim(kind, job.oid, f"{worker} {uuid.uuid4().hex}")
            kind.jobs.filter(pk=job.pk).update(claimed_by=claim.token, heartbeat=Now(), attempts=F("attempts") + 1)
            return claim


def release(worker: str) -> None:
    """Release the claims of the `worker`, whose processes have all ended."""
    for kind in KINDS:
        kind.jobs.filter(claimed_by__startswith=f"{worker} ").update(claimed_by=None, heartbeat=None)


class _ObservedJob(Observed):
    def __init__(self, kind: str, oid: str) -> None:
        super().__init__(kind=kind, oid=oid)
        self._kind = kind

    def wrote(self, rows: int) -> None:
        """Count the rows at once, because a deletion may take an hour."""
        super().wrote(rows)
        metrics.WORKER_ROWS_WRITTEN.labels(self._kind).inc(rows)


@contextmanager
def observed_job(claim: Claim[Job]) -> Iterator[None]:
    """Make every log line within the block name the job, and count its rows."""
    kind = claim.kind.name
    job = _ObservedJob(kind, claim.oid)
    with observing(job):
        try:
            yield
        finally:
            if job.rows_read:
                metrics.WORKER_ROWS_READ.labels(kind).inc(job.rows_read)
