"""Whether the service lives and is ready for requests, for load balancers and supervisors (contract H3)."""

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from bulkops.presence import is_too_long, silence
from dimensions_site.api.public import read_only
from dimensions_site.elements.replicas import replica_answers
from dimensions_site.missing_migrations import missing_migrations
from dimensions_site.repositories.write_counts import has_replica


@never_cache
@read_only
def live(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process answers at all; nothing else is asked, so a slow database restarts nobody."""
    return JsonResponse({"status": "ok", "checks": {}})


@never_cache
@read_only
def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the database answers, its tables are those of this release and a worker works, else 503.

    The body names the checks and what to do; it tells nothing about hosts or errors inside. A replica is told of, too,
    if there is one, but the service does without it.
    """
    checks = {**_database_checks(), "worker": _worker_check()}
    is_ready = all(result == "ok" for result in checks.values())
    if has_replica():
        checks["replica"] = "ok" if replica_answers() else "unavailable; elements are read from the primary"
    body = {"status": "ok" if is_ready else "unavailable", "checks": checks}
    return JsonResponse(body) if is_ready else JsonResponse(body, status=503, headers={"Retry-After": "5"})


def _database_checks() -> dict[str, str]:
    try:
        missing = missing_migrations()
    except (DatabaseError, InterfaceError):
        return {"database": "unavailable", "migrations": "unknown"}
    if not missing:
        return {"database": "ok", "migrations": "ok"}
    verb = "migration is" if len(missing) == 1 else "migrations are"
    return {"database": "ok", "migrations": f"{len(missing)} {verb} not applied: {', '.join(missing)}"}


def _worker_check() -> str:
    try:
        silent_for = silence()
    except (DatabaseError, InterfaceError):
        return "unknown"
    advice = "start one with `manage.py qcluster`"
    if silent_for is None:
        return f"no worker runs; {advice}"
    if is_too_long(silent_for):
        return f"no worker has done anything for {int(silent_for.total_seconds()):,} seconds; {advice}"
    return "ok"
