"""Applying plans: exactly what a plan shows, in one transaction and one change set, or nothing (contract K6)."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import cast
from uuid import UUID

import msgspec
from django.db import connection
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.stored import READ_TOGETHER, changes_of, find_plan, role_of
from bulkops.save.envelope import Envelope, SaveMode, operations
from bulkops.save.saving import BulkSave
from bulkops.writers.disk_lists import DiskList
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.history import change_set_of
from dimensions_site.repositories.models import Role
from dimensions_site.text.shortening import shortened

# How many elements are locked at a time.
_TOGETHER = 200


def apply_plan(plan: Plan, actor: Actor, require: Callable[[Role], None]) -> Plan:
    """Do what the `plan` shows, on behalf of `actor`; return the applied plan.

    `require` raises if `actor` has a smaller role than the one it is called with.

    Raises `Problem` 409 PLAN_APPLIED for an applied plan, PLAN_INVALID for one with errors, and PLAN_OUTDATED with
    every element that has changed since the plan was made; 400 with what the rules of saving reject by now; 404 if the
    plan was deleted meanwhile, and 503 if others write for too long. Then nothing is saved.
    """
    check_applicable(plan)
    require(role_of(plan))
    with ExitStack() as stack:
        texts = {name: DiskList[msgspec.Raw](stack.enter_context(TemporaryFile())) for name in ("post", "put")}
        ids: dict[str, list[str]] = {name: [] for name in texts}
        kept = changes_of(plan).exclude(action=PlanAction.DELETED).values_list("element_id", "base", "after")
        with snapshot(connection):
            for id, base, after in kept.iterator(chunk_size=READ_TOGETHER):
                name = "post" if base is None else "put"
                texts[name].append(msgspec.Raw(str(after).encode()))
                ids[name].append(id)
        envelope = Envelope(cast(SaveMode, plan.save_mode), operations(texts, ids))
        try:
            _Application(plan, actor).run(envelope)
        except Problem as problem:
            # Somebody may have created an element between the check and the insertion.
            if any(failure.code == "ALREADY_EXISTS" for failure in problem.failures):
                refuse_outdated(plan)
            raise
    return plan


def check_applicable(plan: Plan) -> None:
    """Raise `Problem` 409 for a plan that is applied already or has errors."""
    if plan.status == PlanStatus.APPLIED:
        detail = f"The plan was applied already, by {plan.applied_by}. Its change set is {plan.change_set}."
        raise Problem(409, "PLAN_APPLIED", detail)
    if plan.status == PlanStatus.INVALID:
        detail = "The plan has errors, so it cannot be applied. Correct what they name, and make a new plan."
        raise Problem(409, "PLAN_INVALID", detail)


class _Application(BulkSave):
    """Saves and deletes what a plan says, and marks the plan as applied in the same transaction."""

    def __init__(self, plan: Plan, actor: Actor) -> None:
        super().__init__(dimension_named(plan.dimension), plan.repository, actor)
        self._applied = plan

    def _begin(self) -> None:
        found = Plan.objects.select_for_update().filter(pk=self._applied.pk).first()
        if found is None:
            find_plan(self._applied.repository, self._applied.dimension, str(self._applied.pk))
            return
        check_applicable(found)
        # Nobody else changes them from here on; locked in the order that all bulk writers use.
        ids = changes_of(self._applied).filter(base__isnull=False).values_list("element_id", flat=True)
        listed = list(ids)
        for start in range(0, len(listed), _TOGETHER):
            rows = with_ids(self._dimension.model, self._repository, listed[start : start + _TOGETHER])
            list(rows.order_by("element_id").select_for_update().values_list("pk"))
        refuse_outdated(self._applied)

    def _remove(self) -> None:
        gone = changes_of(self._applied, PlanAction.DELETED).values_list("element_id", flat=True)
        listed = list(gone)
        for start in range(0, len(listed), _TOGETHER):
            rows = with_ids(self._dimension.model, self._repository, listed[start : start + _TOGETHER])
            self._writer.delete(rows, self._actor)

    def _end(self) -> None:
        own = change_set_of(self._dimension.model, self._repository.pk, self._actor)
        is_empty = not (self._applied.created or self._applied.changed or self._applied.deleted)
        plan = self._applied
        plan.status, plan.reason = PlanStatus.APPLIED, self._actor.reason
        plan.applied_at, plan.applied_by = datetime.now(UTC), self._actor.name
        plan.change_set = None if is_empty else UUID(str(own))
        plan.save(update_fields=["status", "reason", "applied_at", "applied_by", "change_set"])


def outdated(plan: Plan) -> QuerySet[PlanChange]:
    """Return the changes of those elements that have changed since the `plan` was made, by id."""
    model = dimension_named(plan.dimension).model
    same = {"element_id": OuterRef("element_id")}
    stored = model.of(plan.repository).filter(**same).order_by()
    newest = model.versions_of(plan.repository).filter(**same).order_by("-number")
    changes = changes_of(plan).annotate(
        present=Subquery(stored.values("pk")[:1]),
        newest=Subquery(newest.values("number")[:1]),
    )
    is_created = Q(base__isnull=True)
    return changes.filter(
        (is_created & Q(present__isnull=False)) | (~is_created & (Q(present__isnull=True) | ~Q(newest=F("base"))))
    )


def refuse_outdated(plan: Plan) -> None:
    """Raise `Problem` 409 with the elements that have changed since the `plan` was made, if there are any."""
    found = outdated(plan)
    ids = list(found.values_list("element_id", flat=True)[: MAX_FAILURES + 1])
    if not ids:
        return
    count = len(ids) if len(ids) <= MAX_FAILURES else found.count()
    failures = [
        Failure("", "CHANGED_SINCE", f"'{shortened(id)}' has changed since the plan was made.", id)
        for id in ids[:MAX_FAILURES]
    ]
    have_changed = "1 element of the plan has" if count == 1 else f"{count:,} elements of the plan have"
    detail = f"{have_changed} changed since the plan was made. Nothing was saved; make a new plan."
    raise Problem(409, "PLAN_OUTDATED", detail, failures, failure_count=count)
