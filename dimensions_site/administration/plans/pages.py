"""The list of plans with those that wait for a person, and what is done with one (contract K4 to K7, G2, O4)."""

from operator import attrgetter
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter

from bulkops.files.workbooks.writing import TableTooLarge
from bulkops.models import Plan, PlanStatus
from bulkops.plans.deciding import check_applicable
from bulkops.plans.planning import plan_without
from bulkops.plans.requests import PlanRequest
from bulkops.plans.stored import READ_BATCH, changes_of
from bulkops.session.items import Envelope, SaveMode
from dimensions_site.administration.base.bounded import Page, open_keys, require_role
from dimensions_site.administration.base.differences import CHANGE_OF_ACTION, workbook_of
from dimensions_site.administration.base.filters import GrantedRepositoryFilter
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.administration.base.values import badge, column, when
from dimensions_site.administration.plans.deciding import DECISION_PAGES
from dimensions_site.administration.plans.plan_page import may_delete, may_repeat, plan_page
from dimensions_site.administration.plans.words import differences_of, effect_words, source_words, status_words
from dimensions_site.administration.proposals import ANY_NUMBER, NO_ELEMENTS, open_new_plan, open_plan
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.repositories.models import Role

_WAITING, _MINE = "waiting", "mine"
# The groups of plans, as the list and the start page name them.
PLANS_OF_A_PERSON = {_WAITING: _("Change proposals that wait for me"), _MINE: _("My change proposals")}


def plans_of(choice: str, request: HttpRequest, plans: QuerySet[Plan]) -> QuerySet[Plan]:
    """Return those of the `plans` that wait for the user: approved ones that they may apply, and those of others that
    they may approve or apply. Or return their own that are not applied.

    What a table was checked for is not proposed yet.
    """
    user = cast(User, request.user)
    own = Q(requester_key=user.pk) | Q(requester=user.get_username())
    if choice == _MINE:
        return plans.filter(own, table_digest=None).exclude(status=PlanStatus.APPLIED)
    may_decide = Q(pk__in=())
    for name in dimension_names():
        may_decide |= Q(dimension=name, deleted=0, repository__in=open_keys(request, name, Role.EDITOR))
        may_decide |= Q(dimension=name, repository__in=open_keys(request, name, Role.MANAGER))
    of_others = Q(status=PlanStatus.READY, table_digest=None) & ~own
    does_anything = Q(created__gt=0) | Q(changed__gt=0) | Q(deleted__gt=0)
    return plans.filter(may_decide, does_anything, of_others | Q(status=PlanStatus.APPROVED))


class PersonalPlanFilter(DropdownFilter):
    """The plans that wait for the user, or their own."""

    title = _("whose turn it is")
    parameter_name = "for"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(PLANS_OF_A_PERSON.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        choice = self.value()
        return plans_of(choice, request, queryset) if choice in PLANS_OF_A_PERSON else queryset


@admin.register(Plan)
class PlanAdmin(GrantedAdmin):
    """The list of plans, and a page for each, where it is decided on, applied or deleted."""

    list_display = [
        when("created_at", _("made")),
        column(_("source"), source_words),
        column(_("status"), lambda plan: badge(plan.status, status_words(plan))),
        column(_("Effect"), effect_words),
        "requester",
        when("repository", _("repository"), attrgetter("db_id")),
        "dimension",
    ]
    list_filter = [
        PersonalPlanFilter,
        ("status", ChoicesDropdownFilter),
        ("dimension", ChoicesDropdownFilter),
        ("repository", GrantedRepositoryFilter),
    ]
    list_filter_submit = True
    ordering = ["-created_at", "-id"]
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Plan]:
        return super().get_queryset(request).defer("errors")

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_named: Any) -> HttpResponse:
        """Show the plan and what it does page by page; `?action=deleted&p=2` is the second page of the deletions."""
        return plan_page(self, request, self.get_object(request, object_id))

    def again_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Make a new plan from the same source; with `leave`, it leaves elements as they are that were changed again
        since.
        """
        plan: Plan = self.get_object(request, oid)
        if not may_repeat(self, request, plan):
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
        require_role(request, plan.repository, plan.dimension, Role.PROPOSER)
        if not left_out:
            messages.warning(request, _("Nothing is left out. Tick what the proposal is to leave as it is."))
            return redirect(self.route("change", plan.pk))

        def make() -> Plan:
            check_applicable(plan)
            made = plan_without(plan, cast(User, request.user), left_out)
            messages.info(request, _("This is a new change proposal, without what you have left out."))
            return made

        return open_plan(request, make, back=self.route("change", plan.pk))

    def remove_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Delete the plan: for editors, and for who has made it. What it has changed stays."""
        plan: Plan = self.get_object(request, oid)
        if not may_delete(self, request, plan):
            raise PermissionDenied
        plan.delete()
        messages.success(request, _("The change proposal was deleted. Nothing was changed by that."))
        return redirect(self.route("changelist"))

    def export_view(self, request: HttpRequest, oid: str) -> HttpResponseBase:
        """Return a workbook with everything that the plan does."""
        plan: Plan = self.get_object(request, oid)
        changes = changes_of(plan).iterator(chunk_size=READ_BATCH)
        rows = ((change.element_id, change.action, values) for change, values in differences_of(plan, changes))
        labels = {action: change.label for action, change in CHANGE_OF_ACTION.items()}
        try:
            with snapshot(connection):
                return workbook_of(rows, f"{plan.repository.db_id}-{plan.dimension}-plan", labels)
        except TableTooLarge:
            messages.error(request, _("The differences do not fit into a workbook. Restrict them by a filter."))
            return redirect(self.route("change", plan.pk))

    pages = [
        *DECISION_PAGES,
        Page("again", "<str:oid>/again/", again_view, "POST"),
        Page("without", "<str:oid>/without/", without_view, "POST"),
        Page("remove", "<str:oid>/remove/", remove_view, "POST"),
        Page("export", "<str:oid>/export/", export_view, "GET"),
    ]
