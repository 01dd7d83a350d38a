"""The stored plans of a dimension of a repository, and their JSON (contract K4, K5)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from bulkops.models import Plan, PlanAction, PlanChange
from dimensions_site.api.errors import not_found
from dimensions_site.api.json.texts import json_text
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.history.moments import written
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.shortening import shortened

# How many changes are fetched together: this many of the largest take 50 MB.
READ_TOGETHER = 200


def plans(repository: Repository, dimension: str) -> QuerySet[Plan]:
    """Return the plans of this `dimension` of this repository, the latest first."""
    return Plan.objects.filter(repository=repository, dimension=dimension).order_by("-created_at", "-id")


def find_plan(repository: Repository, dimension: str, id: str) -> Plan:
    """Return the plan with this `id`. Raises `Problem` 404 if this dimension of this repository has none."""
    try:
        found = plans(repository, dimension).filter(pk=UUID(id)).first()
    except ValueError:
        found = None
    if found is None:
        raise not_found(
            "PLAN_NOT_FOUND",
            f"There is no plan '{shortened(id)}' of the {dimension} dimension in repository '{repository.db_id}'. "
            f"Plans are kept for {settings.PLAN_RETENTION_DAYS} days.",
        )
    return found


def role_of(plan: Plan) -> Role:
    """Return the smallest role that may make and apply the `plan` (contract G2)."""
    return Role.MANAGER if plan.deleted else Role.EDITOR


def plan_text(plan: Plan) -> str:
    """Return the JSON of the `plan`, without its changes."""
    values: dict[str, Any] = {
        "planId": str(plan.pk),
        "status": plan.status,
        "source": plan.source,
        "scope": plan.scope,
        "saveMode": plan.save_mode,
        "reason": plan.reason,
        "createdAt": written(plan.created_at),
        "createdBy": plan.requester,
        "expiresAt": written(plan.created_at + timedelta(days=settings.PLAN_RETENTION_DAYS)),
        "created": plan.created,
        "changed": plan.changed,
        "unchanged": plan.unchanged,
        "deleted": plan.deleted,
        "notFound": plan.not_found or [],
        "errors": plan.errors,
        "errorCount": plan.error_count,
        "appliedAt": _instant(plan.applied_at),
        "appliedBy": plan.applied_by,
        "changeSet": None if plan.change_set is None else str(plan.change_set),
    }
    return orjson.dumps(values).decode()


def _instant(at: datetime | None) -> str | None:
    return None if at is None else written(at)


def changes_of(plan: Plan, action: str | None = None) -> QuerySet[PlanChange]:
    """Return what the `plan` does, element by element; only what is an `action`, if given."""
    changes = PlanChange.objects.filter(plan=plan).order_by("element_id")
    return changes if action is None else changes.filter(action=PlanAction(action))


def change_texts(changes: QuerySet[PlanChange]) -> Iterator[str]:
    """Yield the JSON of the `changes`, as of a comparison, from one query with constant memory."""
    rows = changes.values_list("element_id", "action", "changes")
    with snapshot(connection):
        for id, action, text in rows.iterator(chunk_size=READ_TOGETHER):
            yield f'{{"id":{json_text(id)},"action":"{action}","changes":{text}}}'


def delete_old_plans() -> None:
    """Delete the plans that are older than they are kept."""
    kept = timedelta(days=settings.PLAN_RETENTION_DAYS)
    Plan.objects.filter(created_at__lt=Now() - kept).delete()
