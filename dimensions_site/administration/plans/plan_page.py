"""The page of a plan: what it does, element by element, and what its reader may do with it (contract K5, K6, O4)."""

from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin.views.main import PAGE_VAR
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from bulkops.models import Plan, PlanAction, PlanStatus
from bulkops.plans.deciding import is_own
from bulkops.plans.sources import change_sets
from bulkops.plans.stored import changes_of, deciding_role, plan_text
from dimensions_site.administration.base.differences import BADGES, CHANGE_OF_ACTION
from dimensions_site.administration.base.paging import requested_page
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.administration.base.values import badge
from dimensions_site.administration.elements.comparing import DIFFERENCES_A_PAGE
from dimensions_site.administration.plans.words import (
    LISTED_ERRORS,
    lead,
    needs_approval,
    parts_of,
    refusal_words,
    shown_changes,
    shown_errors,
    source_words,
    status_words,
)
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import ChangeSet
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.repositories.models import Role

# The form with the elements to leave out.
_WITHOUT = "without-form"
# Sources that a plan keeps, so that it can be made again.
_KEPT_SOURCES = {"undo", "repository", "asOf"}


@dataclass(frozen=True)
class RemarkField:
    """The field with the remark on a decision: what was typed, and its error."""

    typed: str = ""
    error: str = ""


def options_of(admin: GrantedAdmin, request: HttpRequest, plan: Plan) -> dict[str, Any]:
    """Return what the user may do with the `plan`: decide and apply with its role, approve only what is not their own.

    `why_not` says in words why they can do no more. What a table was checked for is not proposed yet.
    """
    does_anything = bool(plan.created or plan.changed or plan.deleted)
    is_open = does_anything and plan.status in (PlanStatus.READY, PlanStatus.APPROVED)
    needs = plan.status == PlanStatus.READY and needs_approval(plan)
    has_role, own = admin.has_role(request, plan, deciding_role(plan)), is_own(plan, cast(User, request.user))
    is_to_decide = is_open and plan.status == PlanStatus.READY and has_role and not own and plan.table_digest is None
    return {
        "may_apply": is_open and has_role and not needs,
        "may_approve": is_to_decide and needs,
        "may_reject": is_to_decide,
        "may_leave_out": is_open and admin.has_role(request, plan, Role.PROPOSER),
        "why_not": _why_not(plan, needs=needs, has_role=has_role, own=own) if is_open else "",
    }


def _why_not(plan: Plan, *, needs: bool, has_role: bool, own: bool) -> str:
    if needs and own:
        return _("You have made this change proposal, so another person must approve or reject it.")
    if has_role:
        return ""
    role = {"role": deciding_role(plan).label}
    if not needs:
        return _("To apply it, you need the role %(role)s in the repository.") % role
    if plan.deleted:
        return _("It deletes, so to approve it you need the role %(role)s in the repository.") % role
    return _("To approve it, you need the role %(role)s in the repository.") % role


def may_delete(admin: GrantedAdmin, request: HttpRequest, plan: Plan) -> bool:
    """Return whether the user may delete the `plan`: an editor any, a proposer their own (contract O1)."""
    return admin.has_role(request, plan, Role.EDITOR) or is_own(plan, cast(User, request.user))


def may_repeat(admin: GrantedAdmin, request: HttpRequest, plan: Plan) -> bool:
    """Return whether the user may make the plan again, from the source that it has kept."""
    is_open = plan.status != PlanStatus.APPLIED and admin.has_role(request, plan, Role.PROPOSER)
    return is_open and not _KEPT_SOURCES.isdisjoint(plan.source)


def plan_page(
    admin: GrantedAdmin,
    request: HttpRequest,
    plan: Plan,
    *,
    reason: ReasonField | None = None,
    remark: RemarkField | None = None,
    refusal: Problem | None = None,
) -> HttpResponse:
    """Return the page, with what was typed and why the last attempt was refused."""
    chosen = request.GET.get("action")
    action = chosen if chosen in PlanAction else None
    page = requested_page(request, changes_of(plan, action), DIFFERENCES_A_PAGE)
    errors, error_count = plan.errors, plan.error_count
    if refusal is not None and refusal.failures:
        errors, error_count = [failure.as_json() for failure in refusal.failures], refusal.failure_count
    options = options_of(admin, request, plan)
    return admin.render_page(
        request,
        "admin/plans/plan.html",
        title=_("Change proposal for %(repository)s") % {"repository": plan.repository.name},
        plan=plan,
        lead=lead(plan),
        refusal=None if refusal is None else refusal_words(refusal),
        state=badge(plan.status, status_words(plan)),
        source=source_words(plan),
        undone=_undone(plan),
        kept_until=plan.expires_at,
        errors=shown_errors(plan, errors),
        error_count=error_count,
        more_errors=max(0, error_count - LISTED_ERRORS),
        reason=reason or ReasonField(plan.repository, typed=plan.reason or ""),
        remark=remark or RemarkField(),
        etag=etag_of(plan_text(plan)),
        options=options,
        form=_WITHOUT if options["may_leave_out"] and plan.created + plan.changed + plan.deleted > 1 else "",
        undo_address=_undo_address(admin, request, plan),
        is_own=is_own(plan, cast(User, request.user)),
        may_delete=may_delete(admin, request, plan),
        may_repeat=may_repeat(admin, request, plan),
        may_leave=any(error["code"] == "CHANGED_SINCE" for error in plan.errors),
        actions=_actions(plan, action),
        page=page,
        page_numbers=page.paginator.get_elided_page_range(page.number),
        page_var=PAGE_VAR,
        query=f"action={action}" if action else "",
        changes=list(shown_changes(plan, list(page))),
        page_address=admin.route("change", plan.pk),
    )


def _undo_address(admin: GrantedAdmin, request: HttpRequest, plan: Plan) -> str:
    """Return the URL that makes the plan of the undo of an applied plan; empty if it cannot be undone here."""
    is_known = plan.change_set is not None and ChangeSet.objects.filter(pk=plan.change_set).exists()
    if not is_known or not admin.has_role(request, plan, Role.PROPOSER):
        return ""
    return reverse("admin:changes_changeset_undo", args=[plan.change_set])


def _undone(plan: Plan) -> str:
    """Return the URL of what the plan undoes: an activity, or the job of several; empty if there is none."""
    id = plan.source.get("undo")
    found = None if id is None else change_sets(plan.repository, plan.dimension, id).first()
    if found is None:
        return ""
    return reverse(f"admin:changes_changeset_{'change' if str(found.pk) == id else 'job'}", args=[found.pk])


def _actions(plan: Plan, chosen: str | None) -> list[tuple[Any, int, str, bool, str]]:
    """Return the parts of the plan that the page can show: name, count, query, whether it is shown, and its style."""
    number = {action: getattr(plan, action.value) for action in PlanAction}
    badges = {action: BADGES[CHANGE_OF_ACTION[action]] if number[action] else "" for action in PlanAction}
    return [
        (_("All"), sum(number.values()), "", chosen is None, ""),
        *(
            (name, number[action], f"?action={action}", action == chosen, badges[action])
            for action, name in parts_of(plan).items()
        ),
    ]
