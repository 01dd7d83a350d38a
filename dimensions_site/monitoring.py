"""What supervisors and operators ask of the service: its health, its release, and metrics about jobs and workers.

Load balancers and supervisors read the health endpoints (contract H3, M6; design/web-server.md).
"""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, F
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bulkops.jobs.claims import KINDS
from bulkops.jobs.heartbeat import is_lost, since_last_heartbeat
from bulkops.models import Worker
from dimensions_site.api.views import read_only
from dimensions_site.db.unusable import RELEASE, database_release, missing_migrations
from dimensions_site.elements.reading.replicas import has_replica, replica_answers
from dimensions_site.observability.observation import running_release


@never_cache
@read_only
def live(request: HttpRequest) -> HttpResponse:
    """Return 200 while the process responds. It checks nothing else, so a slow database restarts nothing."""
    return JsonResponse({"status": "ok", "checks": {}})


@never_cache
@read_only
def ready(request: HttpRequest) -> HttpResponse:
    """Return 200 if the database responds, has the tables of this release or the next, and a worker runs; else 503.

    The body names the checks and what to do, and reveals nothing about hosts or internal errors. It also reports a
    replica, but the service works without one.
    """
    checks = {**_database_checks(), "worker": _worker_check()}
    is_ready = all(result == "ok" for result in checks.values())
    if has_replica():
        checks["replica"] = "ok" if replica_answers() else "unavailable; elements are read from the primary"
    body = {"status": "ok" if is_ready else "unavailable", "checks": checks}
    return JsonResponse(body) if is_ready else JsonResponse(body, status=503, headers={"Retry-After": "5"})


@never_cache
@read_only
def version(request: HttpRequest) -> HttpResponse:
    """Return the release that runs (contract M6)."""
    return JsonResponse(running_release())


def _database_checks() -> dict[str, str]:
    try:
        missing, found = missing_migrations(), database_release()
    except (DatabaseError, InterfaceError):
        return {"database": "unavailable", "migrations": "unknown"}
    if found > RELEASE + 1:
        newer = (
            f"the database is of release {found}; this is release {RELEASE}, which works with one release newer at most"
        )
        return {"database": "ok", "migrations": newer}
    if not missing:
        return {"database": "ok", "migrations": "ok"}
    verb = "migration is" if len(missing) == 1 else "migrations are"
    return {"database": "ok", "migrations": f"{len(missing)} {verb} not applied: {', '.join(missing)}"}


def _worker_check() -> str:
    try:
        silent_for = since_last_heartbeat()
    except (DatabaseError, InterfaceError):
        return "unknown"
    advice = "start one with `manage.py qcluster`"
    if silent_for is None:
        return f"no worker runs; {advice}"
    if is_lost(silent_for):
        return f"no worker has done anything for {int(silent_for.total_seconds()):,} seconds; {advice}"
    return "ok"


def in_pages(request: HttpRequest) -> dict[str, dict[str, str | None]]:
    """Return the context of templates: `release`, for the foot of each page."""
    return {"release": running_release()}


class StateCollector(Collector):
    """Reads queue, jobs and workers at each scrape, in a few short queries.

    Without a database there is only `dimensions_database_up` of these.
    """

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
