"""The health endpoints for load balancers and supervisors, and the release (contract H3, M6; design/web-server.md)."""

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from bulkops.jobs.heartbeat import is_lost, since_last_heartbeat
from dimensions_site.api.views import read_only
from dimensions_site.db.unusable import RELEASE, database_release, missing_migrations
from dimensions_site.elements.reading.replicas import has_replica, replica_answers
from dimensions_site.observability.release import running_release


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
