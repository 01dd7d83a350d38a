"""What a job leaves in the worker's log and in its figures."""

from collections.abc import Iterator
from contextlib import contextmanager

from bulkops.claims import Claim
from bulkops.models import FileImport, Job
from dimensions_site.telemetry import metrics
from dimensions_site.telemetry.observation import Observed, current, observing


class _ObservedJob(Observed):
    def __init__(self, kind: str, oid: str) -> None:
        super().__init__(kind=kind, oid=oid)
        self._kind = kind

    def wrote(self, rows: int) -> None:
        """Count the rows at once: a deletion may take an hour."""
        super().wrote(rows)
        metrics.WORKER_ROWS_WRITTEN.labels(self._kind).inc(rows)

    def end(self) -> None:
        if self.rows_read:
            metrics.WORKER_ROWS_READ.labels(self._kind).inc(self.rows_read)


def kind_of(model: type[Job]) -> str:
    """The word of the log and of the figures for jobs of that model."""
    return "import" if model is FileImport else "deletion"


@contextmanager
def observed_job(claim: Claim[Job]) -> Iterator[None]:
    """Let all that is logged within the block tell which job it is about, and count its rows."""
    job = _ObservedJob(kind_of(claim.kind.model), claim.oid)
    with observing(job):
        try:
            yield
        finally:
            job.end()


def tell_job(job: Job) -> None:
    """Let what is logged about the job from here on tell for whom it is done, and where."""
    if observed := current():
        observed.name(caller=job.requester, repository=job.repository.db_id, dimension=job.dimension)
