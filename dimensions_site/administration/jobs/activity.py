"""The change log: what was changed, by whom, through what and why, as far as the user may see it (contract I1, G2)."""

from collections.abc import Iterable
from functools import partial
from operator import attrgetter
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, TextFilter

from bulkops.models import DataProcessing, FileImport, Plan
from dimensions_site.administration.base.bounded import Page, open_keys
from dimensions_site.administration.base.differences import of_version
from dimensions_site.administration.base.filters import DayFilter, GrantedRepositoryFilter, PersonFilter
from dimensions_site.administration.base.naming import contains_text, description_of, element_route
from dimensions_site.administration.base.paging import requested_page
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.administration.base.values import EMPTY, column, when
from dimensions_site.administration.jobs.entries import (
    ASKED,
    ELEMENT,
    FILES,
    REPORT_PAGES,
    approved_words,
    counts_in_words,
    entries_of,
    named_entry,
    sources_of,
    spellings,
)
from dimensions_site.administration.proposals import undo_address, undo_page
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.writing.restoring import compare_versions
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.text.formats import named_value, shortened

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


class _ElementFilter(TextFilter):
    """The change sets that wrote an element: few, which an index finds."""

    title = _("account or currency")
    parameter_name = ELEMENT

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        id = self.value()
        if not id:
            return queryset
        found = [
            dimension_named(name)
            .model.versions_within(open_keys(request, name))
            .filter(element_id__in=spellings(id.strip()))
            .order_by()
            .values("change_set")
            for name in dimension_names()
        ]
        return queryset.filter(pk__in=found[0].union(*found[1:], all=True))


def _undo_id(row: ChangeSet) -> str | None:
    return str(row.pk) if row.created or row.changed or row.deleted else None


@admin.register(ChangeSet)
class ActivityAdmin(GrantedAdmin):
    """The list of change sets, the latest first, and a page with the versions of each."""

    class Media:
        css = {"all": ["site/admin/element.css"]}

    change_list_template = "admin/activity/list.html"
    list_display = [
        when("committed_at", _("when")),
        "user",
        "what",
        column(
            _("channel"),
            lambda row: " · ".join(filter(None, (row.get_channel_display(), row.source, approved_words(row)))),
        ),
        "reason_text",
        when("repository", _("repository"), attrgetter("db_id")),
    ]
    list_filter = [
        _ElementFilter,
        ("repository", GrantedRepositoryFilter),
        ("dimension", ChoicesDropdownFilter),
        ("channel", ChoicesDropdownFilter),
        _ByFilter,
        ("committed_at", DayFilter),
    ]
    list_filter_submit = True
    search_fields = ["reason"]
    # The text as a whole, in any case.
    search_condition = staticmethod(partial(contains_text, "reason"))
    search_help_text = _("Search in the reasons")
    ordering = ["-committed_at", "-id"]
    sortable_by = ()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Return the list; its rows name the element if they wrote only one. Its filters are above it."""
        more = {
            "asked": {name: request.GET.get(name, "") for name in ASKED},
            "channels": Channel.choices,
            "dimensions": self.model._meta.get_field("dimension").flatchoices,
            "repositories": self.repositories(request),
            "query": request.GET.urlencode(),
            "report_address": self.route("report"),
            "files": [(format.upper(), self.route(f"export_{format}")) for format in FILES],
        }
        response = super().changelist_view(request, {**more, **(extra_context or {})})
        if (shown := (getattr(response, "context_data", None) or {}).get("cl")) is not None:
            shown.has_filters = False
            shown.result_list = _with_elements(shown.result_list)
        return response

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_named: Any) -> HttpResponse:
        """Show the change set and its versions page by page, with what each changed; `?p=2` is the second page."""
        found: ChangeSet = self.get_object(request, object_id)
        dimension, repository = dimension_named(found.dimension), found.repository
        page = requested_page(request, range(found.created + found.changed + found.deleted), VERSIONS_A_PAGE)
        first = (page.number - 1) * VERSIONS_A_PAGE
        rows = dimension.model.versions_of(repository).filter(change_set=found.pk).order_by("number")
        rows = rows[first : first + VERSIONS_A_PAGE]
        versions = compare_versions(dimension, rows, {repository.pk: repository}, VERSIONS_A_PAGE)
        return self.render_page(
            request,
            "admin/activity/change_set.html",
            title=_("Change in %(repository)s") % {"repository": repository.name},
            change_set=found,
            found=[
                of_version(
                    version,
                    description_of(version.row.descriptions, repository),
                    element_route(dimension, "version", version.row.number),
                )
                for version in versions
            ],
            undo_address=undo_address(self, request, found, _undo_id(found)),
            has_job=found.operation is not None and found.channel in _JOBS,
            number=page.number,
            has_next=page.has_next(),
        )

    def job_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Redirect to the page of the deletion, the import or the plan that the change set belongs to."""
        found: ChangeSet = self.get_object(request, oid)
        if found.operation is not None and found.channel in _JOBS:
            model, name = _JOBS[found.channel]
            jobs = self.admin_site.get_model_admin(model).get_queryset(request)
            if job := jobs.filter(**{name: found.operation}).first():
                return redirect(f"admin:bulkops_{model._meta.model_name}_change", job.pk)
        messages.info(request, _("The job or proposal of this change is no longer stored, or you may not see it."))
        return redirect(self.route("change", found.pk))

    pages = [*REPORT_PAGES, undo_page(_undo_id), Page("job", "<str:oid>/job/", job_view, "GET")]

    @admin.display(description=_("what"))
    def what(self, obj: Any) -> SafeString:
        """Return the element and its fields if only one was written, else how many."""
        if obj.entry is not None:
            return named_entry(obj.entry)
        names = str(dimension_named(obj.dimension).verbose_name_plural).capitalize()
        return format_html("{}", named_value(names, counts_in_words(obj) or EMPTY))

    @admin.display(description=_("reason"))
    def reason_text(self, obj: ChangeSet) -> str:
        """Return the reason in its own direction of writing."""
        return format_html('<bdi class="element-described">{}</bdi>', shortened(obj.reason or "", _REASON_SHOWN))


def _with_elements(rows: Iterable[Any]) -> list[Any]:
    """Return the `rows` with the `entry` of those that wrote one element, and the `source` of applied plans."""
    rows = list(rows)
    single = [row for row in rows if row.created + row.changed + row.deleted == 1]
    entries = {entry.change_set.pk: entry for entry in entries_of(sorted(single, key=lambda row: row.dimension))}
    sources = sources_of(rows)
    for row in rows:
        row.entry, row.source = entries.get(row.pk), sources.get(row.pk, "")
    return rows
