"""Plans: what would change, before anybody applies it (contract K4 to K7, G2)."""

from functools import partial
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from bulkops.files.workbooks.writing import TableTooLarge
from bulkops.models import Plan, PlanAction, PlanStatus
from bulkops.plans.applying import apply_plan, check_applicable
from bulkops.plans.planning import plan_without
from bulkops.plans.requests import PlanRequest
from bulkops.plans.sources import change_sets
from bulkops.plans.stored import READ_TOGETHER, changes_of, plan_text, role_of
from bulkops.session.items import Envelope, SaveMode
from dimensions_site.administration.base.badges import badge, state
from dimensions_site.administration.base.bounded import number, require_role, when
from dimensions_site.administration.base.differences import ACTIONS, BADGES, workbook_of
from dimensions_site.administration.base.filters import GrantedRepositoryFilter
from dimensions_site.administration.base.granted import GrantedAdmin
from dimensions_site.administration.base.page import Page
from dimensions_site.administration.base.paging import requested_page
from dimensions_site.administration.elements.comparing import DIFFERENCES_A_PAGE
from dimensions_site.administration.plans.making import ANY_NUMBER, NO_ELEMENTS, open_new_plan
from dimensions_site.administration.plans.words import (
    LISTED_ERRORS,
    differences_of,
    lead,
    problem_words,
    refusal_words,
    shown_changes,
    shown_errors,
    source_words,
)
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.reasons import ReasonField
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.repositories.models import Role

# What the parts of a plan are called once it is applied, and before.
_PARTS = {
    PlanAction.CREATED: (_("created"), _("to be created")),
    PlanAction.CHANGED: (_("changed"), _("to be changed")),
    PlanAction.DELETED: (_("deleted"), _("to be deleted")),
}
# The form with the elements to leave out.
_WITHOUT = "without-form"
# Sources that a plan keeps, so that it can be made again.
_KEPT_SOURCES = {"undo", "repository", "asOf"}


@admin.register(Plan)
class PlanAdmin(GrantedAdmin):
    """The list of plans, and a page for each, where it is applied or deleted."""

    list_display = [
        when("created_at", _("made")),
        "source_text",
        state(_("status")),
        number("created", _("created")),
        number("changed", _("changed")),
        number("unchanged", _("unchanged")),
        number("deleted", _("deleted")),
        "requester",
        "repository_name",
        "dimension",
    ]
    list_filter = [
        ("status", ChoicesDropdownFilter),
        ("dimension", ChoicesDropdownFilter),
        ("repository", GrantedRepositoryFilter),
    ]
    list_filter_submit = True
    ordering = ["-created_at", "-id"]
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Plan]:
        return super().get_queryset(request).defer("errors")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the plan and what it does page by page; `?action=deleted&p=2` is the second page of the deletions."""
        plan: Plan = self.get_object(request, object_id)
        return self._page(request, plan, ReasonField(plan.repository, typed=plan.reason or ""))

    def apply_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Apply the plan, or show why that is impossible: for editors, or managers if it deletes (contract K6)."""
        plan: Plan = self.get_object(request, oid)
        require = partial(require_role, request, plan.repository, plan.dimension)
        require(role_of(plan))
        reason = ReasonField(plan.repository, request.POST)
        try:
            check_applicable(plan)
            if request.POST.get("etag") != etag_of(plan_text(plan)):
                messages.warning(request, _("The proposal is not as you saw it. Check it again, and apply it then."))
                return redirect(self.route("change", plan.pk))
            if reason.error:
                return self._page(request, plan, reason)
            actor = Actor(request.user.get_username(), Channel.PLAN, str(plan.pk), reason.reason)
            apply_plan(plan, actor, require)
        except Problem as problem:
            if problem.code == "PLAN_NOT_FOUND":
                messages.error(request, problem_words(problem)[0])
                return redirect(self.route("changelist"))
            return self._page(request, self.get_object(request, oid), reason, problem)
        messages.success(request, _("The change proposal was applied."))
        return redirect(self.route("change", plan.pk))

    def again_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Make a new plan from the same source; with `leave`, it leaves elements as they are that were changed again
        since.
        """
        plan: Plan = self.get_object(request, oid)
        if not self._may_repeat(request, plan):
            raise PermissionDenied
        source = plan.source
        plan_request = PlanRequest(
            Envelope(cast(SaveMode, plan.save_mode), NO_ELEMENTS.operations),
            repository=source.get("repository"),
            as_of=source.get("asOf"),
            undo=source.get("undo"),
            skips_conflicts="onConflict" in source or "leave" in request.POST,
            scope=plan.scope,
            max_delete=ANY_NUMBER,
            reason=plan.reason,
        )
        dimension = dimension_named(plan.dimension)
        return open_new_plan(request, dimension, plan.repository, plan_request, back=self.route("change", plan.pk))

    def without_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Make a new plan that leaves the ticked elements as they are: a plan is applied exactly as it is shown."""
        plan: Plan = self.get_object(request, oid)
        left_out = request.POST.getlist("ids")
        require = partial(require_role, request, plan.repository, plan.dimension)
        require(Role.EDITOR)
        if not left_out:
            messages.warning(request, _("Nothing is left out. Tick what the proposal is to leave as it is."))
            return redirect(self.route("change", plan.pk))
        try:
            check_applicable(plan)
            made = plan_without(plan, request.user.get_username(), left_out, require)
        except Problem as problem:
            for text in problem_words(problem):
                messages.error(request, text)
            return redirect(self.route("change", plan.pk))
        messages.info(request, _("This is a new change proposal, without what you have left out."))
        return redirect(self.route("change", made.pk))

    def remove_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Delete the plan: for editors. What it has changed stays."""
        plan: Plan = self.get_object(request, oid)
        if not self.has_role(request, plan, Role.EDITOR):
            raise PermissionDenied
        plan.delete()
        messages.success(request, _("The change proposal was deleted. Nothing was changed by that."))
        return redirect(self.route("changelist"))

    def export_view(self, request: HttpRequest, oid: str) -> HttpResponseBase:
        """Return a workbook with everything that the plan does."""
        plan: Plan = self.get_object(request, oid)
        changes = changes_of(plan).iterator(chunk_size=READ_TOGETHER)
        rows = ((change.element_id, change.action, values) for change, values in differences_of(plan, changes))
        labels = {action: change.label for action, change in ACTIONS.items()}
        try:
            with snapshot(connection):
                return workbook_of(rows, f"{plan.repository.db_id}-{plan.dimension}-plan", labels)
        except TableTooLarge:
            messages.error(request, _("The differences do not fit into a workbook. Restrict them by a filter."))
            return redirect(self.route("change", plan.pk))

    pages = [
        Page("apply", "<str:oid>/apply/", apply_view, "POST"),
        Page("again", "<str:oid>/again/", again_view, "POST"),
        Page("without", "<str:oid>/without/", without_view, "POST"),
        Page("remove", "<str:oid>/remove/", remove_view, "POST"),
        Page("export", "<str:oid>/export/", export_view, "GET"),
    ]

    def _page(
        self, request: HttpRequest, plan: Plan, reason: ReasonField, refusal: Problem | None = None
    ) -> HttpResponse:
        chosen = request.GET.get("action")
        action = chosen if chosen in PlanAction else None
        page = requested_page(request, changes_of(plan, action), DIFFERENCES_A_PAGE)
        errors, error_count = plan.errors, plan.error_count
        if refusal is not None and refusal.failures:
            errors, error_count = [failure.as_json() for failure in refusal.failures], refusal.failure_count
        role = role_of(plan)
        has_role, changes_any = self.has_role(request, plan, role), plan.created or plan.changed or plan.deleted
        can_be_applied = plan.status == PlanStatus.READY and bool(changes_any) and not errors
        return self.render_page(
            request,
            "admin/plans/plan.html",
            title=_("Change proposal for %(repository)s") % {"repository": plan.repository.name},
            plan=plan,
            lead=lead(plan),
            refusal=None if refusal is None else refusal_words(refusal),
            state=badge(plan.status, plan.get_status_display()),
            source=source_words(plan),
            undone=_undone(plan),
            kept_until=plan.expires_at,
            errors=shown_errors(plan, errors),
            error_count=error_count,
            more_errors=max(0, error_count - LISTED_ERRORS),
            reason=reason,
            etag=etag_of(plan_text(plan)),
            may_apply=can_be_applied and has_role,
            form=_WITHOUT if can_be_applied and self.has_role(request, plan, Role.EDITOR) else "",
            undo_address=self._undo_address(request, plan),
            missing_role=role.label if can_be_applied and not has_role else None,
            may_delete=self.has_role(request, plan, Role.EDITOR),
            may_repeat=self._may_repeat(request, plan),
            may_leave=any(error["code"] == "CHANGED_SINCE" for error in plan.errors),
            actions=_actions(plan, action),
            page=page,
            page_numbers=page.paginator.get_elided_page_range(page.number),
            page_var=PAGE_VAR,
            query=f"action={action}" if action else "",
            changes=list(shown_changes(plan, list(page))),
            page_address=self.route("change", plan.pk),
        )

    def _undo_address(self, request: HttpRequest, plan: Plan) -> str:
        """Return the URL that makes the plan of the undo of an applied plan; empty if it cannot be undone here."""
        is_known = plan.change_set is not None and ChangeSet.objects.filter(pk=plan.change_set).exists()
        if not is_known or not self.has_role(request, plan, Role.EDITOR):
            return ""
        return reverse("admin:changes_changeset_undo", args=[plan.change_set])

    def _may_repeat(self, request: HttpRequest, plan: Plan) -> bool:
        is_open = plan.status != PlanStatus.APPLIED and self.has_role(request, plan, Role.EDITOR)
        return is_open and not _KEPT_SOURCES.isdisjoint(plan.source)

    @admin.display(description=_("source"))
    def source_text(self, obj: Plan) -> str:
        return source_words(obj)

    @admin.display(description=_("repository"))
    def repository_name(self, obj: Plan) -> str:
        return obj.repository.db_id


def _undone(plan: Plan) -> str:
    """Return the URL of what the plan undoes: an activity, or the job of several; empty if there is none."""
    id = plan.source.get("undo")
    found = None if id is None else change_sets(plan.repository, plan.dimension, id).first()
    if found is None:
        return ""
    return reverse(f"admin:changes_changeset_{'change' if str(found.pk) == id else 'job'}", args=[found.pk])


def _actions(plan: Plan, chosen: str | None) -> list[tuple[object, int, str, bool, str]]:
    """Return the parts of the plan that the page can show: name, count, query, whether it is shown, and its style."""
    number = {action: getattr(plan, action.value) for action in PlanAction}
    is_done = plan.status == PlanStatus.APPLIED
    return [
        (_("All"), sum(number.values()), "", chosen is None, ""),
        *(
            (done if is_done else to_do, number[action], f"?action={action}", action == chosen, BADGES[ACTIONS[action]])
            for action, (done, to_do) in _PARTS.items()
        ),
    ]
