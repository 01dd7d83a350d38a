"""What was changed, by whom, through what and why: the change sets that the user may see (contract I1, G2)."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from bulkops.models import DataProcessing, FileImport, Plan
from dimensions_site.administration.base.bounded import LONGEST_SEARCH, number, when
from dimensions_site.administration.base.described import description_of
from dimensions_site.administration.base.differences import of_version
from dimensions_site.administration.base.element_links import element_route
from dimensions_site.administration.base.filters import DayFilter, GrantedRepositoryFilter, PersonFilter
from dimensions_site.administration.base.page import Page
from dimensions_site.administration.base.paging import requested_page
from dimensions_site.administration.plans.making import UndoMixin
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.writing.restoring import compare_versions
from dimensions_site.rsql.conditions import Contains, Needle
from dimensions_site.rsql.expressions import Fold
from dimensions_site.text.formats import shortened

VERSIONS_A_PAGE = 25
# Characters of a reason that the list shows.
_REASON_SHOWN = 120
# The jobs and plans that write elements, and their ids.
_JOBS: dict[str, tuple[type[Any], str]] = {
    Channel.DELETION: (DataProcessing, "oid"),
    Channel.IMPORT: (FileImport, "pk"),
    Channel.PLAN: (Plan, "pk"),
}


class _ByFilter(PersonFilter):
    title = _("person")
    parameter_name = "by"
    column = "user"


@admin.register(ChangeSet)
class ActivityAdmin(UndoMixin):
    """The list of change sets, the latest first, and a page with the versions of each."""

    class Media:
        css = {"all": ["site/admin/element.css"]}

    list_display = [
        when("committed_at", _("when")),
        "user",
        "channel",
        "reason_text",
        number("created", _("created")),
        number("changed", _("changed")),
        number("deleted", _("deleted")),
        "repository_name",
        "dimension",
    ]
    list_filter = [
        ("repository", GrantedRepositoryFilter),
        ("dimension", ChoicesDropdownFilter),
        ("channel", ChoicesDropdownFilter),
        _ByFilter,
        ("committed_at", DayFilter),
    ]
    list_filter_submit = True
    search_fields = ["reason"]
    search_help_text = _("Search in the reasons")
    ordering = ["-committed_at", "-id"]
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search for the text as a whole, in any case."""
        if len(search_term) > LONGEST_SEARCH:
            return queryset.none(), False
        found = Q(Contains(Fold(F("reason")), Fold(Needle(search_term)))) if search_term else Q()
        return queryset.filter(found), False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the change set and its versions page by page, with what each changed; `?p=2` is the second page."""
        found: ChangeSet = self.get_object(request, object_id)
        dimension, repository = dimension_named(found.dimension), found.repository
        page = requested_page(request, range(found.created + found.changed + found.deleted), VERSIONS_A_PAGE)
        first = (page.number - 1) * VERSIONS_A_PAGE
        rows = dimension.model.versions_of(repository).filter(change_set=found.pk).order_by("number")
        rows = rows[first : first + VERSIONS_A_PAGE]
        versions = compare_versions(dimension, rows, repository, VERSIONS_A_PAGE)
        return self.render_page(
            request,
            "admin/activity/change_set.html",
            title=_("Activity in %(repository)s") % {"repository": repository.name},
            change_set=found,
            found=[
                of_version(
                    version,
                    description_of(version.row.descriptions, repository),
                    element_route(dimension, "version", version.row.number),
                )
                for version in versions
            ],
            undo_address=self.undo_address(request, found),
            has_job=found.operation is not None and found.channel in _JOBS,
            number=page.number,
            has_next=page.has_next(),
        )

    def undo_id(self, row: ChangeSet) -> str | None:
        return str(row.pk) if row.created or row.changed or row.deleted else None

    def job_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Redirect to the page of the deletion, the import or the plan that the change set belongs to."""
        found: ChangeSet = self.get_object(request, oid)
        if found.operation is not None and found.channel in _JOBS:
            model, name = _JOBS[found.channel]
            jobs = self.admin_site.get_model_admin(model).get_queryset(request)
            if job := jobs.filter(**{name: found.operation}).first():
                return redirect(f"admin:bulkops_{model._meta.model_name}_change", job.pk)
        messages.info(request, _("The job or plan of this change is no longer stored, or you may not see it."))
        return redirect(self.route("change", found.pk))

    pages = [*UndoMixin.pages, Page("job", "<str:oid>/job/", job_view, "GET")]

    @admin.display(description=_("repository"))
    def repository_name(self, obj: ChangeSet) -> str:
        return obj.repository.db_id

    @admin.display(description=_("reason"))
    def reason_text(self, obj: ChangeSet) -> str:
        """Return the reason in its own direction of writing."""
        return format_html('<bdi class="element-described">{}</bdi>', shortened(obj.reason or "", _REASON_SHOWN))
