"""The page where the elements of a list are edited as a table (contract C16, G2, K4)."""

from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin import action as admin_action
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import action

from bulkops.models import Plan, PlanStatus
from bulkops.plans.deciding import apply_plan
from bulkops.plans.planning import plan_without
from bulkops.plans.stored import plans
from dimensions_site.administration.base.bounded import Page, require_role
from dimensions_site.administration.base.scope import selected_repository
from dimensions_site.administration.elements.editing import NOT_SAVED, new_values
from dimensions_site.administration.elements.references import Descriptions, ReferenceFinder
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.administration.proposals import problem_words, proposes
from dimensions_site.administration.table.checking import TableCheck
from dimensions_site.administration.table.columns import MAX_ROWS, SentRow, SentTable, read_sent
from dimensions_site.administration.table.table import Checked, EditedTable
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import grouped_number, uuid_of

# Fields of the form: the table as JSON, what to do with it, the plan that was checked, the chosen columns, and the maps
# that get another entry with its key.
TABLE, DO, PLAN, COLUMN, MAP, KEY = "_table", "_do", "_plan", "_column", "_map", "_key"
# How many errors the page lists; all are marked at their cells.
_LISTED = 50


class TablePage:
    """Answers one request for the table of `admin`."""

    def __init__(self, admin: ListedAdmin, request: HttpRequest) -> None:
        self._admin = admin
        self._request = request

    def opened(self, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Return the table of the elements; None and a message if there is none to show."""
        repository = selected_repository(self._admin, self._request, queryset)
        if repository is None:
            return None
        ids = list(queryset.values_list("element_id", flat=True)[: MAX_ROWS + 1])
        if len(ids) > MAX_ROWS:
            message = _(
                "A table has at most %(maximum)s rows, and there are %(count)s. Filter the list, or select fewer."
            )
            numbers = {"maximum": grouped_number(MAX_ROWS), "count": grouped_number(queryset.count())}
            messages.error(self._request, message % numbers)
            return None
        table = EditedTable(
            self._admin.dimension, repository, SentTable(repository.pk, [], [SentRow(id, 0) for id in ids])
        )
        table.choose_at_first(column.path for column in self._admin.columns_of(self._request))
        return self._page(table)

    def sent(self, data: QueryDict, do: str, note: str = "") -> HttpResponse:
        """Do with the table in `data` what its page asks for."""
        sent = read_sent(data.get(TABLE, ""))
        repository = get_object_or_404(self._admin.repositories(self._request, Role.PROPOSER), pk=sent.repository)
        table, reason = EditedTable(self._admin.dimension, repository, sent), ReasonField(repository, data)
        if do == "columns":
            entries = zip(data.getlist(MAP), data.getlist(KEY), strict=False)
            chosen = dict.fromkeys(data.getlist(COLUMN))
            # The columns that stay keep their places.
            shown = [name for name in sent.columns if name in chosen]
            table.choose([*shown, *chosen, *table.add_entries(entries)])
            return self._page(table, reason=reason)
        table.choose(sent.columns)
        if do not in ("check", "save"):
            return self._page(table, reason=reason, note=note)
        plan, problems = self._checked_plan(table, data.get(PLAN, "")), []
        if plan is not None and do == "save":
            if reason.error:
                return self._page(table, Checked(plan, descriptions=self._descriptions(table)), reason)
            try:
                save = self._propose if self._proposes(repository) else self._save
                return save(plan, reason.reason)
            except Problem as problem:
                problems = problem_words(problem)
        elif do == "save":
            problems = [_("Nothing was saved: the table is not as it was checked. It was checked again.")]
        if plan is not None:
            plan.delete()
        return self._check(table, reason, problems)

    def _checked_plan(self, table: EditedTable, id: str) -> Plan | None:
        """Return the user's plan that the page names. If it was made from other entries, delete it and return None.

        Raises PermissionDenied for a plan that no table was checked for: its user has seen something else.
        """
        own = plans(table.repository, self._admin.dimension.name).filter(requester=self._request.user.get_username())
        key = uuid_of(id)
        plan = own.filter(pk=key, status=PlanStatus.READY).first() if key else None
        if plan is None or plan.table_digest == table.sent.digest:
            return plan
        if plan.table_digest is None:
            raise PermissionDenied
        plan.delete()
        return None

    def _check(self, table: EditedTable, reason: ReasonField, problems: list[str]) -> HttpResponse:
        table.load()
        user, begun = cast(User, self._request.user), partial(new_values, self._admin)
        checked = TableCheck(table, user, self._descriptions(table), begun).run()
        checked.problems[:0] = problems
        return self._page(table, checked, ReasonField(table.repository, typed=reason.typed))

    def _proposes(self, repository: Repository) -> bool:
        return proposes(self._request, repository, self._admin.dimension.name)

    def _propose(self, plan: Plan, reason: str | None) -> HttpResponse:
        """Propose what was checked, and redirect to the page of the proposal (contract O4)."""
        plan.reason = reason
        proposed = plan_without(plan, cast(User, self._request.user), ())
        plan.delete()
        return redirect("admin:bulkops_plan_change", proposed.pk)

    def _save(self, plan: Plan, reason: str | None) -> HttpResponse:
        """Apply the plan and return to the list. Raises as `apply_plan` does."""
        require = partial(require_role, self._request, plan.repository, plan.dimension)
        apply_plan(plan, Actor(self._request.user.get_username(), Channel.PLAN, str(plan.pk), reason), require)
        count = plan.created + plan.changed
        message = ngettext("%(count)s row was saved.", "%(count)s rows were saved.", count)
        activity = reverse("admin:changes_changeset_change", args=[plan.change_set])
        link = format_html('<a class="underline" href="{}">{}</a>', activity, _("See what was changed, or undo it"))
        messages.success(self._request, format_html("{} {}", message % {"count": grouped_number(count)}, link))
        return redirect(self._admin.route_with_query(self._request, "changelist"))

    def _page(
        self, table: EditedTable, checked: Checked | None = None, reason: ReasonField | None = None, note: str = ""
    ) -> HttpResponse:
        if not table.is_loaded:
            table.load()
        is_checked, checked = checked is not None, checked or Checked()

        return self._admin.render_page(
            self._request,
            "admin/tables/table.html",
            title=_("Edit as table"),
            repository=table.repository,
            table=table,
            grid=table.grid(checked, ReferenceFinder(self._request, table.repository).picker_address),
            checked=checked,
            is_checked=is_checked,
            proposes=self._proposes(table.repository),
            has_typed=bool(table.typed),
            unchanged=len(table.rows) - (0 if checked.plan is None else checked.plan.created + checked.plan.changed),
            listed_errors=checked.errors[:_LISTED],
            more_errors=checked.error_count - min(len(checked.errors), _LISTED),
            unknown=[
                (cell, named[1]) for cell, named in table.references() if checked.descriptions.get(named, "") is None
            ],
            note=note,
            plan=checked.plan.pk if checked.plan else "",
            reason=reason or ReasonField(table.repository),
            address=self._admin.route_with_query(self._request, "table"),
            list_address=self._admin.route_with_query(self._request, "changelist"),
        )

    def _descriptions(self, table: EditedTable) -> Descriptions:
        named = (named for _cell, named in table.references())
        return ReferenceFinder(self._request, table.repository).descriptions(named)


@admin_action(description=gettext_lazy("Edit as table"), permissions=["change"])
def edit_elements(admin: ListedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Return the table of the selected elements, or None and a message that says why there is none."""
    return TablePage(admin, request).opened(queryset)


@labels_in_messages()
def edit_table(admin: ListedAdmin, request: HttpRequest) -> HttpResponse:
    """Show all elements of the list with the query of this URL, or check, save or redisplay what was sent."""
    if request.method == "POST":
        return TablePage(admin, request).sent(request.POST, request.POST.get(DO, ""))
    elements = admin.rows_of_list(request)
    opened = None if elements is None else TablePage(admin, request).opened(elements)
    return opened or redirect(admin.route_with_query(request, "changelist"))


@labels_in_messages()
def edit_table_again(admin: ListedAdmin, request: HttpRequest, data: QueryDict) -> HttpResponse:
    """Show what was typed before the user signed in again; nothing is saved."""
    return TablePage(admin, request).sent(data, "", str(NOT_SAVED))


def _begin(admin: ListedAdmin, request: HttpRequest) -> HttpResponseBase:
    """Redirect to the table; the button of the list leads there directly, with the query of the list."""
    return redirect(admin.route("table"))


TABLE_PAGE = Page("table", "table/", edit_table, permission="change", again=edit_table_again)
TABLE_BUTTON = action(
    _begin, description=cast(str, gettext_lazy("Edit as table")), permissions=["change"], icon="table"
)
