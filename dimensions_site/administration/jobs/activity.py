"""The change log: what was changed, by whom, through what and why, as far as the user may see it (contract I1, G2)."""

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import F, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, TextFilter

from bulkops.files.workbooks.writing import TableTooLarge
from bulkops.models import DataProcessing, FileImport, Plan
from dimensions_site.administration.base.bounded import LONGEST_SEARCH, Page, open_keys
from dimensions_site.administration.base.differences import of_version, table_file
from dimensions_site.administration.base.filters import DayFilter, GrantedRepositoryFilter, PersonFilter
from dimensions_site.administration.base.naming import description_of, element_route
from dimensions_site.administration.base.paging import requested_page
from dimensions_site.administration.base.values import when
from dimensions_site.administration.jobs.entries import (
    LogEntry,
    approved_words,
    counts_in_words,
    entries_of,
    file_rows,
    named_entry,
    reported,
    sources_of,
    spellings,
)
from dimensions_site.administration.proposals import UndoMixin
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.writing.restoring import compare_versions
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.rsql.conditions import Contains, Needle
from dimensions_site.rsql.expressions import Fold
from dimensions_site.text.files import Format
from dimensions_site.text.formats import grouped_number, moment, shortened

VERSIONS_A_PAGE = 25
# How many elements the report shows, and a file has.
REPORTED, EXPORTED = 500, 10_000
_FILES = (Format.CSV, Format.XLSX)
# Characters of a reason that the list shows.
_REASON_SHOWN = 120
# The parameter that asks for an account or a currency.
_ELEMENT = "element"
# What the list can be asked for, by parameter.
_ASKED = {
    _ELEMENT: _("Account or currency"),
    "by": _("Person"),
    "committed_at_from": _("From"),
    "committed_at_to": _("To"),
    "channel__exact": _("Channel"),
    "dimension__exact": _("Kind"),
    "repository__id__exact": _("Repository"),
    "q": _("Words of the reason"),
}
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
    parameter_name = _ELEMENT

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


@admin.register(ChangeSet)
class ActivityAdmin(UndoMixin):
    """The list of change sets, the latest first, a page with the versions of each, and the report and files of all
    that the list shows.
    """

    class Media:
        css = {"all": ["site/admin/element.css"]}

    change_list_template = "admin/activity/list.html"
    list_display = [
        when("committed_at", _("when")),
        "user",
        "what",
        "through",
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

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list; its rows name the element if they wrote only one. Its filters are above it."""
        shown = super().get_changelist_instance(request)
        shown.has_filters = False
        rows: list[Any] = list(shown.result_list)
        single = [row for row in rows if row.created + row.changed + row.deleted == 1]
        entries = {entry.change_set.pk: entry for entry in entries_of(sorted(single, key=lambda row: row.dimension))}
        sources = sources_of(rows)
        for row in rows:
            row.entry, row.source = entries.get(row.pk), sources.get(row.pk, "")
        shown.result_list = rows
        return shown

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        asked = {name: request.GET.get(name, "") for name in _ASKED}
        more = {
            "asked": asked,
            "channels": Channel.choices,
            "dimensions": self.model._meta.get_field("dimension").flatchoices,
            "repositories": self.repositories(request),
            "query": request.GET.urlencode(),
            "report_address": self.route("report"),
            "files": [(format.upper(), self.route(f"export_{format}")) for format in _FILES],
        }
        return super().changelist_view(request, {**more, **(extra_context or {})})

    def report_view(self, request: HttpRequest) -> HttpResponse:
        """Show the elements of the list with what changed in each, to read and to print: up to 500."""
        shown = self._listed(request)
        if shown is None:
            return redirect(self.route("changelist"))
        found = list(islice(self._entries(request, shown), REPORTED + 1))
        return self.render_page(
            request,
            "admin/activity/report.html",
            title=_("Changes"),
            asked=list(_asked_words(request, self.repositories(request))),
            made_at=moment(timezone.now()),
            found=list(reported(found[:REPORTED])),
            is_cut_off=len(found) > REPORTED,
            maximum=REPORTED,
            address=f"{self.route('changelist')}?{request.GET.urlencode()}",
        )

    def export_view(self, request: HttpRequest, format: Format) -> HttpResponseBase:
        """Return a file in CSV or a workbook with each value that the change sets of the list have changed."""
        shown = self._listed(request)
        address = f"{self.route('changelist')}?{request.GET.urlencode()}"
        if shown is None:
            return redirect(self.route("changelist"))
        total = F("created") + F("changed") + F("deleted")
        written = 0 if request.GET.get(_ELEMENT) else shown.order_by().aggregate(total=Sum(total))["total"] or 0
        if written > EXPORTED:
            message = gettext(
                "These are %(count)s changed accounts and currencies, and a file has at most %(maximum)s. Ask for a "
                "shorter period, a person or an account."
            )
            messages.error(request, message % {"count": grouped_number(written), "maximum": grouped_number(EXPORTED)})
            return redirect(address)
        headings = [
            *(gettext("When"), gettext("Person"), gettext("Channel"), gettext("Reason"), gettext("Proposed by")),
            *(gettext("Approved by"), gettext("Remark"), gettext("Repository"), gettext("Kind"), gettext("Id")),
            *(gettext("Action"), gettext("Field"), gettext("Before"), gettext("After"), gettext("Path")),
        ]
        rows = chain.from_iterable(map(file_rows, self._entries(request, shown)))
        try:
            return table_file(f"changes-{timezone.now():%Y-%m-%d}", format, headings, rows)
        except TableTooLarge as error:
            messages.error(request, str(error))
            return redirect(address)

    def _listed(self, request: HttpRequest) -> QuerySet[ChangeSet] | None:
        """Return all change sets of the list; None if its query is not valid."""
        try:
            found: QuerySet[ChangeSet] = super().get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return None
        return found

    def _entries(self, request: HttpRequest, shown: QuerySet[ChangeSet]) -> Iterator[LogEntry]:
        return entries_of(shown.iterator(chunk_size=1_000), request.GET.get(_ELEMENT, "").strip())

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
        messages.info(request, _("The job or proposal of this change is no longer stored, or you may not see it."))
        return redirect(self.route("change", found.pk))

    pages = [
        *UndoMixin.pages,
        Page("job", "<str:oid>/job/", job_view, "GET"),
        Page("report", "report/", report_view, "GET", "view"),
        Page("export_csv", "export/csv/", partial(export_view, format=Format.CSV), "GET", "view"),
        Page("export_xlsx", "export/xlsx/", partial(export_view, format=Format.XLSX), "GET", "view"),
    ]

    @admin.display(description=_("what"))
    def what(self, obj: Any) -> SafeString:
        """Return the element and its fields if only one was written, else how many."""
        if obj.entry is not None:
            return named_entry(obj.entry)
        names = dimension_named(obj.dimension)
        return format_html("{}: {}", str(names.verbose_name_plural).capitalize(), counts_in_words(obj) or "-")

    @admin.display(description=_("channel"))
    def through(self, obj: Any) -> str:
        """Return the channel, and of an applied plan what it was made from and who approved it."""
        return " · ".join(filter(None, (obj.get_channel_display(), obj.source, approved_words(obj))))

    @admin.display(description=_("reason"))
    def reason_text(self, obj: ChangeSet) -> str:
        """Return the reason in its own direction of writing."""
        return format_html('<bdi class="element-described">{}</bdi>', shortened(obj.reason or "", _REASON_SHOWN))


def _asked_words(request: HttpRequest, repositories: QuerySet[Any]) -> Iterator[tuple[str, str]]:
    """Yield what the list was asked for: the name of each condition and its value."""
    choices = {
        "channel__exact": dict(Channel.choices),
        "repository__id__exact": {str(one.pk): one for one in repositories},
    }
    for name, words in _ASKED.items():
        if value := request.GET.get(name, "").strip():
            yield str(words), str(choices.get(name, {}).get(value, value))
