"""Applying plans: exactly what a plan shows, in one transaction and one change set, or nothing (contract K6)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.deciding import approval_of, check_applicable, marking_outdated, refuse_outdated
from bulkops.plans.notices import notify_author
from bulkops.plans.stored import READ_TOGETHER, changes_of, find_plan, role_of
from bulkops.plans.trial import UNKNOWN_REFERENCE
from bulkops.session.disk_lists import DiskList
from bulkops.session.items import Envelope, SaveMode, operations
from bulkops.session.session import WriteSession
from dimensions_site.api.errors import Failure, Problem, bad_request
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import REASON_HEADER, refuse_unapproved
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.locking import refuse_when_crowded, writing_in_turn
from dimensions_site.elements.writing.saving import change_set_of
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import shortened

# How many elements are locked at a time.
_TOGETHER = 200


def apply_plan(plan: Plan, actor: Actor, require: Callable[[Role], None]) -> Plan:
    """Do what the `plan` shows, on behalf of `actor`; return the applied plan.

    `require` raises if `actor` has a smaller role than the one it is called with.

    Raises `Problem` 409 PLAN_APPLIED for an applied plan, PLAN_REJECTED for a rejected one, PLAN_INVALID for one with
    errors, and PLAN_OUTDATED with every element that has changed since the plan was made; 403 APPROVAL_REQUIRED for one
    that needs an approval and has none that counts (contract O2); 400 for another reason than the approved one, and
    with what the rules of saving reject by now; 404 if the plan was deleted meanwhile, and 503 if others write for too
    long. Then nothing is saved.
    """
    check_applicable(plan)
    require(role_of(plan))
    # An approval is final, so it is the same once the plan is locked.
    actor = replace(actor, approval=approval_of(plan))
    if actor.approval is not None and plan.reason not in (None, actor.reason):
        message = f"The plan was approved with the reason '{shortened(plan.reason)}', which must stay; give no other."
        raise bad_request([Failure(REASON_HEADER, "INVALID_VALUE", message)])
    if actor.approval is None:
        refuse_unapproved(plan.repository, plan.dimension, deletes=plan.deleted > 0)
    with marking_outdated(plan), ExitStack() as stack:
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


def _apply(plan: Plan, actor: Actor, envelope: Envelope) -> None:
    """Save what is in the `envelope`, delete what the plan deletes, and mark it as applied, in one transaction."""
    repository, dimension = plan.repository, dimension_named(plan.dimension)
    refuse_when_crowded(repository)
    session = WriteSession(dimension, repository, actor, envelope, UNKNOWN_REFERENCE)
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
        if actor.name != plan.requester:
            notify_author(plan)


def _elements(plan: Plan, changes: QuerySet[PlanChange]) -> Iterator[QuerySet[Any]]:
    """Yield the stored elements of the `changes`, part by part in the order of their ids."""
    ids = list(changes.values_list("element_id", flat=True))
    model = dimension_named(plan.dimension).model
    for start in range(0, len(ids), _TOGETHER):
        yield with_ids(model, plan.repository, ids[start : start + _TOGETHER])
