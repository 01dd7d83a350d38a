"""Applying plans: exactly what a plan shows, in one transaction and one change set, or nothing (contract K6)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from django.db import connection
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.stored import READ_TOGETHER, changes_of, find_plan, role_of
from bulkops.session.items import Envelope, SaveMode, operations
from bulkops.session.session import WriteSession
from bulkops.writers.disk_lists import DiskList
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.history import change_set_of
from dimensions_site.elements.writing.locking import refuse_when_crowded, writing_in_turn
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import shortened

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
        texts = {name: DiskList(stack, bytes) for name in ("post", "put")}
        ids: dict[str, list[str]] = {name: [] for name in texts}
        kept = changes_of(plan).exclude(action=PlanAction.DELETED).values_list("element_id", "base", "after")
        with snapshot(connection):
            for id, base, after in kept.iterator(chunk_size=READ_TOGETHER):
                name = "post" if base is None else "put"
                texts[name].append(str(after).encode())
                ids[name].append(id)
        envelope = Envelope(cast(SaveMode, plan.save_mode), operations(texts, ids))
        try:
            _apply(plan, actor, envelope)
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


def _apply(plan: Plan, actor: Actor, envelope: Envelope) -> None:
    """Save what is in the `envelope`, delete what the plan deletes, and mark it as applied, in one transaction."""
    repository, dimension = plan.repository, dimension_named(plan.dimension)
    refuse_when_crowded(repository)
    session = WriteSession(dimension, repository, actor, envelope)
    with session.staging(), writing_in_turn(repository):
        locked = Plan.objects.select_for_update().filter(pk=plan.pk).first()
        check_applicable(locked or find_plan(repository, plan.dimension, str(plan.pk)))
        # Nobody else changes them from here on; locked in the order that all bulk writers use.
        for rows in _elements(plan, changes_of(plan).filter(base__isnull=False)):
            list(rows.order_by("element_id").select_for_update().values_list("pk"))
        refuse_outdated(plan)
        for rows in _elements(plan, changes_of(plan, PlanAction.DELETED)):
            session.writer.delete(rows, actor)
        session.write()
        is_empty = not (plan.created or plan.changed or plan.deleted)
        own = change_set_of(dimension.model, repository.pk, actor)
        plan.status, plan.reason = PlanStatus.APPLIED, actor.reason
        plan.applied_at, plan.applied_by = datetime.now(UTC), actor.name
        plan.change_set = None if is_empty else UUID(str(own))
        plan.save(update_fields=["status", "reason", "applied_at", "applied_by", "change_set"])


def _elements(plan: Plan, changes: QuerySet[PlanChange]) -> Iterator[QuerySet[Any]]:
    """Yield the stored elements of the `changes`, part by part in the order of their ids."""
    ids = list(changes.values_list("element_id", flat=True))
    model = dimension_named(plan.dimension).model
    for start in range(0, len(ids), _TOGETHER):
        yield with_ids(model, plan.repository, ids[start : start + _TOGETHER])


def outdated_changes(plan: Plan) -> QuerySet[PlanChange]:
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
    found = outdated_changes(plan)
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
