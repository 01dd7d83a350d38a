"""Whether the service lives and is ready for requests, for load balancers and supervisors (contract H3)."""

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from dimensions_site.api.public import read_only


@never_cache
@read_only
def live(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process answers at all; nothing else is asked, so a slow database restarts nobody."""
    return JsonResponse({"status": "ok", "checks": {}})


@never_cache
@read_only
def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the database answers and its tables are those of this release, else 503.

    The body names the checks and what to do; it tells nothing about hosts or errors inside.
    """
    checks = _database_checks()
    is_ready = all(result == "ok" for result in checks.values())
    body = {"status": "ok" if is_ready else "unavailable", "checks": checks}
    return JsonResponse(body, status=200 if is_ready else 503)


def _database_checks() -> dict[str, str]:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (DatabaseError, InterfaceError):
        return {"database": "unavailable", "migrations": "unknown"}
    missing = [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
    if not missing:
        return {"database": "ok", "migrations": "ok"}
    verb = "migration is" if len(missing) == 1 else "migrations are"
    return {"database": "ok", "migrations": f"{len(missing)} {verb} not applied: {', '.join(missing)}"}
