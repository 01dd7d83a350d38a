"""The stored plans of a dimension of a repository, and their JSON (contract K4, K5)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, get_args

import orjson
import structlog
from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from rest_framework import serializers

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.requests import CONFLICTS
from bulkops.session.items import SAVE_MODE, SaveMode
from dimensions_site.api.errors import not_found
from dimensions_site.api.openapi.problems import FailureSerializer
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.reading.answers import Answer, InstantField
from dimensions_site.elements.writing.differences import difference_json
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import shortened, uuid_of

log = structlog.get_logger(__name__)

# How many changes are fetched together: this many of the largest take 50 MB.
READ_BATCH = 200


class ElementPlanSource(serializers.Serializer[Any]):
    """What the plan was made from; of elements their number."""

    snapshot = serializers.IntegerField(required=False, min_value=0)
    repository = serializers.CharField(required=False)
    asOf = serializers.CharField(required=False)
    undo = serializers.CharField(required=False)
    onConflict = serializers.ChoiceField(CONFLICTS, label="OnConflict", required=False)
    bulk = serializers.IntegerField(required=False, min_value=0)


class ElementPlan(Answer):
    planId = serializers.UUIDField(source="id")
    status = serializers.ChoiceField(
        PlanStatus.values,
        label="PlanStatus",
        help_text="Only a `READY` or `APPROVED` plan can be applied; the first only where changes need no approval.",
    )
    source_ = ElementPlanSource()
    scope = serializers.CharField(allow_null=True)
    saveMode = serializers.ChoiceField(get_args(SaveMode), label=SAVE_MODE)
    reason = serializers.CharField(allow_null=True)
    createdAt = InstantField()
    createdBy = serializers.CharField(source="requester", help_text="The author, who cannot approve it.")
    expiresAt = InstantField(help_text="When the plan may be removed.")
    created = serializers.IntegerField(min_value=0)
    changed = serializers.IntegerField(min_value=0)
    unchanged = serializers.IntegerField(min_value=0)
    deleted = serializers.IntegerField(min_value=0)
    notFound = serializers.ListField(
        child=serializers.CharField(), help_text="The first ids in `bulk.delete` that no element has, up to 1,000."
    )
    errors_ = FailureSerializer(many=True)
    errorCount = serializers.IntegerField(min_value=0)
    decidedAt = InstantField(allow_null=True, help_text="When the plan was approved or rejected.")
    decidedBy = serializers.CharField(allow_null=True, help_text="Who approved or rejected it.")
    text = serializers.CharField(source="decision_text", allow_null=True, help_text="What they wrote.")
    appliedAt = InstantField(allow_null=True)
    appliedBy = serializers.CharField(allow_null=True)
    changeSet = serializers.UUIDField(allow_null=True, help_text="The change set that the applied plan has written.")

    def to_representation(self, instance: Plan) -> dict[str, Any]:
        """Return the JSON of the plan; what is JSON in the database stays as it is."""
        stored = {"source": instance.source, "notFound": instance.not_found or [], "errors": instance.errors}
        return {**super().to_representation(instance), **stored}


_ANSWER = ElementPlan()


def plans(repository: Repository, dimension: str) -> QuerySet[Plan]:
    """Return the plans of this `dimension` of this repository, the latest first."""
    return Plan.objects.filter(repository=repository, dimension=dimension).order_by("-created_at", "-id")


def find_plan(repository: Repository, dimension: str, id: str) -> Plan:
    """Return the plan with this `id`. Raises `Problem` 404 if this dimension of this repository has none."""
    key = uuid_of(id)
    found = plans(repository, dimension).filter(pk=key).first() if key else None
    if found is None:
        raise not_found(
            "PLAN_NOT_FOUND",
            f"There is no plan '{shortened(id)}' of the {dimension} dimension in repository '{repository.db_id}'. "
            f"Plans are kept for {settings.PLAN_RETENTION_DAYS} days.",
        )
    return found


def deciding_role(plan: Plan) -> Role:
    """Return the smallest role that may approve, reject and apply the `plan` (contract G2, O3)."""
    return Role.MANAGER if plan.deleted else Role.EDITOR


def plan_json(plan: Plan) -> dict[str, Any]:
    """Return the `plan` as in responses, without its changes."""
    return _ANSWER.to_representation(plan)


def plan_text(plan: Plan) -> str:
    """Return the JSON text of the `plan`."""
    return orjson.dumps(plan_json(plan)).decode()


def changes_of(plan: Plan, action: str | None = None) -> QuerySet[PlanChange]:
    """Return what the `plan` does, element by element; only what is an `action`, if given."""
    changes = PlanChange.objects.filter(plan=plan).order_by("element_id")
    return changes if action is None else changes.filter(action=PlanAction(action))


def change_texts(changes: QuerySet[PlanChange]) -> Iterator[str]:
    """Yield the JSON of the `changes`, as of a comparison, from one query with constant memory."""
    rows = changes.values_list("element_id", "action", "changes")
    with snapshot(connection):
        for id, action, text in rows.iterator(chunk_size=READ_BATCH):
            yield difference_json(id, action, text)


def delete_old_plans() -> None:
    """Delete the plans that are older than PLAN_RETENTION_DAYS, counted from the decision if there is one."""
    limit = Now() - timedelta(days=settings.PLAN_RETENTION_DAYS)
    old = Plan.objects.filter(Q(decided_at=None) | Q(decided_at__lt=limit), created_at__lt=limit)
    open_ones = old.filter(status__in=[PlanStatus.READY, PlanStatus.APPROVED])
    for id, author in open_ones.values_list("id", "requester"):
        log.info("plan_expired", plan=str(id), author=author)
    old.delete()
