"""Approving, rejecting and applying a plan on its page (contract K6, O3, O4)."""

from collections.abc import Callable
from functools import partial
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from bulkops.models import Plan
from bulkops.plans.applying import apply_plan
from bulkops.plans.deciding import approve_plan, check_applicable, reject_plan
from bulkops.plans.stored import plan_text, role_of
from dimensions_site.administration.base.bounded import Page, require_role
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.administration.plans.plan_page import RemarkField, plan_page
from dimensions_site.administration.proposals import problem_words
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import InvalidReason, ReasonField, typed_remark
from dimensions_site.elements.reading.etags import etag_of

# What the buttons send as `do`.
APPROVE, APPROVE_AND_APPLY, REJECT = "approve", "apply", "reject"


def apply(admin: GrantedAdmin, request: HttpRequest, oid: str) -> HttpResponse:
    """Apply the plan, or show why that is impossible: for editors, or managers if it deletes (contract K6)."""
    plan: Plan = admin.get_object(request, oid)
    require_role(request, plan.repository, plan.dimension, role_of(plan))
    reason = ReasonField(plan.repository, request.POST)

    def do() -> str:
        _apply(request, plan, reason)
        return _("The change proposal was applied.")

    return _answer(admin, request, plan, do, reason=reason)


def decide(admin: GrantedAdmin, request: HttpRequest, oid: str) -> HttpResponse:
    """Approve the plan, also apply it, or reject it; show why that is impossible (contract O3, O4).

    A rejection needs a text. Who decides has seen the plan as it is: its page sends the tag.
    """
    plan: Plan = admin.get_object(request, oid)
    require_role(request, plan.repository, plan.dimension, role_of(plan))
    chosen = request.POST.get("do")
    if chosen not in (APPROVE, APPROVE_AND_APPLY, REJECT):
        raise BadRequest("The decision was not sent as the page of the plan sends it.")
    user, require = cast(User, request.user), partial(require_role, request, plan.repository, plan.dimension)
    # It is one line; people may break it where they type.
    typed = " ".join(request.POST.get("text", "").split())
    text, error = None, ""
    try:
        text = typed_remark(typed)
    except InvalidReason as invalid:
        error = str(invalid)
    if not error and text is None and chosen == REJECT:
        error = _("Say why you reject it: its author reads this.")
    reason = ReasonField(plan.repository, request.POST if chosen == APPROVE_AND_APPLY else None, plan.reason or "")

    def do() -> str:
        if chosen == REJECT:
            reject_plan(plan, user, text or "", require)
            return _("The change proposal was rejected. Nothing was changed.")
        approved = approve_plan(plan, user, text, require)
        if chosen == APPROVE:
            return _("The change proposal was approved. Nothing is changed before it is applied.")
        _apply(request, approved, reason)
        return _("The change proposal was approved and applied.")

    return _answer(admin, request, plan, do, reason=reason, remark=RemarkField(typed, error))


def _apply(request: HttpRequest, plan: Plan, reason: ReasonField) -> None:
    actor = Actor(request.user.get_username(), Channel.PLAN, str(plan.pk), reason.reason)
    apply_plan(plan, actor, partial(require_role, request, plan.repository, plan.dimension))


def _answer(
    admin: GrantedAdmin,
    request: HttpRequest,
    plan: Plan,
    do: Callable[[], str],
    *,
    reason: ReasonField,
    remark: RemarkField | None = None,
) -> HttpResponse:
    """Do it and redirect to the plan, or show the page with what is wrong with what was typed, or why it was refused.

    Nothing is done with a plan that is not as its page has shown it.
    """
    try:
        check_applicable(plan)
        if request.POST.get("etag") != etag_of(plan_text(plan)):
            messages.warning(request, _("The proposal is not as you saw it. Check it again, and decide then."))
            return redirect(admin.route("change", plan.pk))
        if reason.error or (remark is not None and remark.error):
            return plan_page(admin, request, plan, reason=reason, remark=remark)
        message = do()
    except Problem as problem:
        if problem.code == "PLAN_NOT_FOUND":
            messages.error(request, problem_words(problem)[0])
            return redirect(admin.route("changelist"))
        shown = admin.get_object(request, str(plan.pk))
        return plan_page(admin, request, shown, reason=reason, remark=remark, refusal=problem)
    messages.success(request, message)
    return redirect(admin.route("change", plan.pk))


DECISION_PAGES = (Page("apply", "<str:oid>/apply/", apply, "POST"), Page("decide", "<str:oid>/decide/", decide, "POST"))
