"""Approving, rejecting and applying a plan on its page (contract K6, O3, O4)."""

from functools import partial
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.models import Plan
from bulkops.plans.deciding import apply_plan, approve_plan, check_applicable, reject_plan
from bulkops.plans.stored import deciding_role, plan_text
from dimensions_site.administration.base.bounded import Page, require_role
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.administration.elements.editing import shown_again
from dimensions_site.administration.plans.plan_page import RemarkField, plan_page
from dimensions_site.administration.proposals import problem_words
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import InvalidReason, ReasonField, typed_remark
from dimensions_site.elements.reading.etags import etag_of

# What the buttons send as `do`, and what the page says once it is done.
APPLY, APPROVE, APPROVE_AND_APPLY, REJECT = "apply-only", "approve", "apply", "reject"
_DONE = {
    APPLY: gettext_lazy("The change proposal was applied."),
    APPROVE: gettext_lazy("The change proposal was approved. Nothing is changed before it is applied."),
    APPROVE_AND_APPLY: gettext_lazy("The change proposal was approved and applied."),
    REJECT: gettext_lazy("The change proposal was rejected. Nothing was changed."),
}


def decide(admin: GrantedAdmin, request: HttpRequest, oid: str, chosen: str = "") -> HttpResponse:
    """Do with the plan what was `chosen` or sent, or show its page with what is wrong or why it was refused: for
    editors, or managers if it deletes (contract K6, O3, O4).

    Nothing is done with a plan that is not as its page has shown it, which sends the tag.
    """
    plan: Plan = admin.get_object(request, oid)
    require_role(request, plan.repository, plan.dimension, deciding_role(plan))
    if request.method != "POST":
        reason = ReasonField(plan.repository, typed=request.POST.get(ReasonField.name, plan.reason or ""))
        return plan_page(admin, request, plan, reason=reason, remark=RemarkField(request.POST.get("text", "")))
    chosen = chosen or request.POST.get("do", "")
    if chosen not in _DONE:
        raise BadRequest("The decision was not sent as the page of the plan sends it.")
    reason = ReasonField(
        plan.repository, request.POST if chosen in (APPLY, APPROVE_AND_APPLY) else None, plan.reason or ""
    )
    remark = _remark(request, chosen)
    try:
        check_applicable(plan)
        if request.POST.get("etag") != etag_of(plan_text(plan)):
            messages.warning(request, _("The proposal is not as you saw it. Check it again, and decide then."))
            return redirect(admin.route("change", plan.pk))
        if reason.error or remark.error:
            return plan_page(admin, request, plan, reason=reason, remark=remark)
        _do(request, plan, chosen, reason.reason, remark.typed)
    except Problem as problem:
        if problem.code == "PLAN_NOT_FOUND":
            messages.error(request, problem_words(problem)[0])
            return redirect(admin.route("changelist"))
        shown = admin.get_object(request, str(plan.pk))
        return plan_page(admin, request, shown, reason=reason, remark=remark, refusal=problem)
    messages.success(request, _DONE[chosen])
    return redirect(admin.route("change", plan.pk))


def _remark(request: HttpRequest, chosen: str) -> RemarkField:
    """Return the remark that was sent, which a rejection needs."""
    # It is one line; people may break it where they type.
    typed = " ".join(request.POST.get("text", "").split())
    try:
        text = typed_remark(typed)
    except InvalidReason as invalid:
        return RemarkField(typed, str(invalid))
    is_missing = text is None and chosen == REJECT
    return RemarkField(typed, _("Say why you reject it: its author reads this.") if is_missing else "")


def _do(request: HttpRequest, plan: Plan, chosen: str, reason: str | None, remark: str) -> None:
    user, require = cast(User, request.user), partial(require_role, request, plan.repository, plan.dimension)
    if chosen == REJECT:
        reject_plan(plan, user, remark, require)
        return
    if chosen != APPLY:
        plan = approve_plan(plan, user, remark or None, require)
    if chosen != APPROVE:
        apply_plan(plan, Actor(user.get_username(), Channel.PLAN, str(plan.pk), reason), require)


DECISION_PAGES = (
    Page("apply", "<str:oid>/apply/", partial(decide, chosen=APPLY), "POST", again=shown_again(decide)),
    Page("decide", "<str:oid>/decide/", decide, "POST", again=shown_again(decide)),
)
