"""The log lines and metrics of a job."""

from collections.abc import Iterator
from contextlib import contextmanager

from bulkops.jobs.claims import Claim
from bulkops.models import Job
from dimensions_site.observability import metrics
from dimensions_site.observability.observation import Observed, current, observing


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


def describe_job(job: Job) -> None:
    """Make every later log line about the job name its requester, repository and dimension."""
    if observed := current():
        observed.name(caller=job.requester, repository=job.repository.db_id, dimension=job.dimension)
