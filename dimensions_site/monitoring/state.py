"""Metrics read from the database at each scrape: queue, jobs and workers."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, F
from django.db.models.functions import Now
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bulkops.jobs.claims import KINDS
from bulkops.jobs.heartbeat import since_last_heartbeat
from bulkops.models import Worker
from dimensions_site.observability.release import running_release


class StateCollector(Collector):
    """Runs a few short queries per scrape; of these, without a database there is only `dimensions_database_up`."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            metrics = [*_jobs(), *_workers()]
        except (DatabaseError, InterfaceError):
            metrics = []
        running = GaugeMetricFamily("dimensions_release", "The release that runs: 1.", labels=["version", "commit"])
        running.add_metric([text or "" for text in running_release().values()], 1)
        yield running
        yield GaugeMetricFamily(
            "dimensions_database_up", "Whether the database answers.", value=1.0 if metrics else 0.0
        )
        yield from metrics


def _jobs() -> Iterator[GaugeMetricFamily]:
    jobs = GaugeMetricFamily(
        "dimensions_processings", "Deletions and imports that are kept, by their state.", labels=["kind", "state"]
    )
    length = GaugeMetricFamily(
        "dimensions_queue_length", "Deletions and imports that wait for a worker.", labels=["kind"]
    )
    age = GaugeMetricFamily(
        "dimensions_queue_oldest_age_seconds", "Seconds for which the oldest of them has waited.", labels=["kind"]
    )
    for kind in KINDS:
        name = kind.name
        counts = dict(kind.model._default_manager.order_by().values_list("status").annotate(Count("pk")))
        for state in kind.model._meta.get_field("status").choices:
            jobs.add_metric([name, state[0]], counts.get(state[0], 0))
        waiting = kind.jobs.filter(claimed_by=None).order_by("due_at").annotate(waits=Now() - F("due_at"))
        length.add_metric([name], waiting.count())
        oldest = waiting.values_list("waits", flat=True).first()
        # A job that is due in the future is not waiting.
        age.add_metric([name], max(oldest.total_seconds(), 0) if oldest else 0)
    yield from (jobs, length, age)


def _workers() -> Iterator[GaugeMetricFamily]:
    lost_after = timedelta(seconds=settings.WORKER_LOST_AFTER_SECONDS)
    alive = Worker.objects.filter(beat_at__gt=Now() - lost_after).count()
    yield GaugeMetricFamily("dimensions_workers", "Workers with a recent heartbeat.", value=alive)
    silent_for = since_last_heartbeat()
    if silent_for is not None:
        yield GaugeMetricFamily(
            "dimensions_worker_heartbeat_age_seconds",
            "Seconds since the last heartbeat of any worker.",
            value=silent_for.total_seconds(),
        )
