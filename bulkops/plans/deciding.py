"""Approving, rejecting and applying plans, and what their state forbids (contract K6, O3; design/plans.md).

Applying does exactly what a plan shows, in one transaction and one change set, or nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import OuterRef, QuerySet, Subquery

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.notices import notify_author
from bulkops.plans.stored import READ_BATCH, changes_of, deciding_role, find_plan
from bulkops.plans.trial import UNKNOWN_REFERENCE
from bulkops.session.disk_lists import DiskList
from bulkops.session.items import Envelope, SaveMode, all_operations
from bulkops.session.session import WriteSession
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem, bad_request, forbidden
from dimensions_site.changes.placing import Actor, Approval
from dimensions_site.changes.requirements import REASON_HEADER, refuse_unapproved
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.locking import refuse_when_crowded, writing_in_turn
from dimensions_site.elements.writing.saving import change_set_of
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import repositories_open_to
from dimensions_site.text.formats import shortened

# How many ids one query names, and how many elements are locked at a time.
_TOGETHER = 1_000
_LOCKED_TOGETHER = 200


def approve_plan(plan: Plan, user: User, text: str | None, require: Callable[[Role], None]) -> Plan:
    """Approve exactly what the `plan` shows, on behalf of `user`, with the `text`; return the approved plan.

    `require` raises if the user has a smaller role than the one it is called with. Whether they are a person is with
    the calling code.

    Raises `Problem` 403 OWN_PLAN for the user's own plan; 409 PLAN_APPROVED, PLAN_REJECTED, PLAN_APPLIED,
    PLAN_OUTDATED or PLAN_INVALID for a plan that is not open; 404 if it was deleted meanwhile. Then nothing is stored,
    but for an outdated plan that it is outdated.
    """
    with marking_outdated(plan):
        return _decide(plan, user, text, PlanStatus.APPROVED, require)


def reject_plan(plan: Plan, user: User, text: str, require: Callable[[Role], None]) -> Plan:
    """Reject the `plan` for good, as `approve_plan` approves it; the `text` says why."""
    return _decide(plan, user, text, PlanStatus.REJECTED, require)


@transaction.atomic
def _decide(plan: Plan, user: User, text: str | None, status: PlanStatus, require: Callable[[Role], None]) -> Plan:
    require(deciding_role(plan))
    check_is_not_own(plan, user)
    # One decision, application or deletion waits for another, and then finds what that has done.
    locked = Plan.objects.select_for_update().filter(pk=plan.pk).first()
    found = locked or find_plan(plan.repository, plan.dimension, str(plan.pk))
    check_applicable(found)
    if found.status == PlanStatus.APPROVED:
        detail = f"The plan is approved already, by {found.decided_by}. To change what it does, make another plan."
        raise Problem(409, "PLAN_APPROVED", detail)
    if status is PlanStatus.APPROVED:
        refuse_outdated(found)
    found.status, found.decided_at, found.decision_text = status, _in_milliseconds(datetime.now(UTC)), text
    found.decided_by, found.decider_key = user.get_username(), user.pk
    found.save(update_fields=["status", "decided_at", "decision_text", "decided_by", "decider_key"])
    notify_author(found)
    return found


def is_own(plan: Plan, user: User) -> bool:
    """Return whether the `user` has made the `plan`: by key, also after they were renamed; or by name, also if they
    were deleted and created again.
    """
    return user.pk == plan.requester_key or user.get_username() == plan.requester


def check_is_not_own(plan: Plan, user: User) -> None:
    """Raise `Problem` 403 if the `user` has made the `plan`."""
    if is_own(plan, user):
        raise forbidden("OWN_PLAN", "You have made this plan, so another person must approve or reject it.")


def approval_of(plan: Plan) -> Approval | None:
    """Return the approval of the `plan`; None without one, or if who approved it may not any more.

    The approver must still be active and have the role: the approval of a person who has left does not count.
    """
    if plan.status != PlanStatus.APPROVED or not (plan.decided_at and plan.decided_by and plan.decider_key):
        return None
    approver = User.objects.filter(pk=plan.decider_key, is_active=True).first()
    if approver is None:
        return None
    open_to_them = repositories_open_to(approver, plan.dimension, deciding_role(plan))
    if not open_to_them.filter(pk=plan.repository_id).exists():
        return None
    return Approval(
        plan.pk, plan.requester, _in_milliseconds(plan.created_at), plan.decided_by, plan.decided_at, plan.decision_text
    )


def _in_milliseconds(instant: datetime) -> datetime:
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)  # the wire has no more


def check_applicable(plan: Plan) -> None:
    """Raise `Problem` 409 for a plan that is applied or rejected already, is outdated or has errors."""
    if plan.status == PlanStatus.APPLIED:
        detail = f"The plan was applied already, by {plan.applied_by}. Its change set is {plan.change_set}."
        raise Problem(409, "PLAN_APPLIED", detail)
    if plan.status == PlanStatus.REJECTED:
        detail = f"The plan was rejected by {plan.decided_by}: {plan.decision_text} Make another plan."
        raise Problem(409, "PLAN_REJECTED", detail)
    if plan.status == PlanStatus.OUTDATED:
        refuse_outdated(plan)
        raise Problem(409, "PLAN_OUTDATED", "Elements of the plan had changed since it was made; make a new plan.")
    if plan.status == PlanStatus.INVALID:
        detail = "The plan has errors, so it cannot be applied. Correct what they name, and make a new plan."
        raise Problem(409, "PLAN_INVALID", detail)


def outdated_ids(plan: Plan) -> Iterator[str]:
    """Yield the ids of those elements that have changed since the `plan` was made, in their order."""
    model = dimension_named(plan.dimension).model
    versions = model.versions_of(plan.repository).filter(element_id=OuterRef("element_id"))
    # By the index, however many versions an element has.
    last = Subquery(versions.order_by("-number").values("number")[:1])
    bases = list(changes_of(plan).values_list("element_id", "base"))
    for start in range(0, len(bases), _TOGETHER):
        part = dict(bases[start : start + _TOGETHER])
        stored = with_ids(model, plan.repository, list(part)).order_by()
        newest = dict(stored.annotate(newest=last).values_list("element_id", "newest"))
        yield from (id for id, base in part.items() if newest.get(id) != base)


def refuse_outdated(plan: Plan) -> None:
    """Raise `Problem` 409 with the elements that have changed since the `plan` was made, if there are any."""
    ids = list(outdated_ids(plan))
    if not ids:
        return
    count = len(ids)
    failures = [
        Failure("", "CHANGED_SINCE", f"'{shortened(id)}' has changed since the plan was made.", id)
        for id in ids[:MAX_FAILURES]
    ]
    have_changed = "1 element of the plan has" if count == 1 else f"{count:,} elements of the plan have"
    detail = f"{have_changed} changed since the plan was made. Nothing was saved; make a new plan."
    raise Problem(409, "PLAN_OUTDATED", detail, failures, failure_count=count)


@contextmanager
def marking_outdated(plan: Plan) -> Iterator[None]:
    """Run the block, and if it finds the `plan` outdated, store that, once the block is rolled back."""
    try:
        yield
    except Problem as problem:
        mark_if_outdated(str(plan.pk), problem)
        raise


def mark_if_outdated(id: str, problem: Exception) -> None:
    """Store that the open plan with this `id` is outdated, if the `problem` says so."""
    if isinstance(problem, Problem) and problem.code == "PLAN_OUTDATED":
        is_open = Plan.objects.filter(pk=id, status__in=[PlanStatus.READY, PlanStatus.APPROVED])
        is_open.update(status=PlanStatus.OUTDATED)


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
    require(deciding_role(plan))
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
            for id, base, after in kept.iterator(chunk_size=READ_BATCH):
                name = "post" if base is None else "put"
                texts[name].append(str(after).encode())
                ids[name].append(id)
        envelope = Envelope(cast(SaveMode, plan.save_mode), all_operations(texts, ids))
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
    for start in range(0, len(ids), _LOCKED_TOGETHER):
        yield with_ids(model, plan.repository, ids[start : start + _LOCKED_TOGETHER])
