"""The entries of the change log, in words: what change sets wrote of elements; their report and files (contract I1)."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import F, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bulkops.files.workbooks.writing import TableTooLarge
from bulkops.models import Plan
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.current import address_of_current
from dimensions_site.administration.base.differences import ShownDifference, of_version, table_file, values_of
from dimensions_site.administration.base.naming import description_of
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.administration.plans.words import source_words
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.models import Change
from dimensions_site.elements.writing.restoring import ShownVersion, compare_versions
from dimensions_site.text.files import Format
from dimensions_site.text.formats import grouped_number, moment, named_value, shortened

# How many change sets, and how many versions, are read together.
_BATCH = 100
# How many of the fields of a changed element the list names.
_FIELDS_SHOWN = 3
# Characters of the description of an element.
_TEXT_SHOWN = 60
# How many elements the report shows, and a file has.
REPORTED, EXPORTED = 500, 10_000
FILES = (Format.CSV, Format.XLSX)
# The parameter that asks for an account or a currency.
ELEMENT = "element"
# What the list can be asked for, by parameter.
ASKED = {
    ELEMENT: _("Account or currency"),
    "by": _("Person"),
    "committed_at_from": _("From"),
    "committed_at_to": _("To"),
    "channel__exact": _("Channel"),
    "dimension__exact": _("Kind"),
    "repository__id__exact": _("Repository"),
    "q": _("Words of the reason"),
}


class LogEntry(NamedTuple):
    """A version of an element, in the change set that wrote it."""

    change_set: ChangeSet
    version: ShownVersion


def entries_of(change_sets: Iterable[ChangeSet], element: str = "") -> Iterator[LogEntry]:
    """Yield the entries of the `change_sets`, in their order; with `element`, those of elements with this id.

    Two queries for each hundred versions, and at least for each hundred change sets of one dimension.
    """
    for together in _batches(change_sets):
        sets = {one.pk: one for one in together}
        dimension = dimension_named(together[0].dimension)
        repositories = {one.repository_id: one.repository for one in together}
        rows = dimension.model.versions_within(repositories).filter(change_set__in=sets)
        if element:
            rows = rows.filter(element_id__in=spellings(element))
        last: int | None = None
        while True:
            part = rows if last is None else rows.filter(number__lt=last)
            found = compare_versions(dimension, part[:_BATCH], repositories, _BATCH)
            yield from (LogEntry(sets[version.row.change_set_id], version) for version in found)
            if len(found) < _BATCH:
                break
            last = found[-1].row.number


def spellings(id: str) -> Sequence[str]:
    """Return the ids that people mean when they type `id`: mostly in capitals, which they rarely type."""
    return list(dict.fromkeys((id, id.upper())))


def _batches(change_sets: Iterable[ChangeSet]) -> Iterator[Sequence[ChangeSet]]:
    for _dimension, found in groupby(change_sets, lambda one: one.dimension):
        while together := list(islice(found, _BATCH)):
            yield together


def sources_of(change_sets: Iterable[ChangeSet]) -> dict[Any, str]:
    """Return in words where the applied plans came from that wrote the `change_sets`, by the key of these; one query.

    Plans that are no longer stored are left out.
    """
    plans = {one.operation: one.pk for one in change_sets if one.channel == Channel.PLAN and one.operation}
    found = Plan.objects.filter(pk__in=plans).only("source", "table_digest") if plans else ()
    return {plans[str(plan.pk)]: source_words(plan) for plan in found}


def counts_in_words(written: Any) -> str:
    """Return how many elements were `created`, `changed` and `deleted`, such as `176 created, 3 changed`."""
    words = {"created": gettext("created"), "changed": gettext("changed"), "deleted": gettext("deleted")}
    done = ((getattr(written, name), word) for name, word in words.items())
    return ", ".join(f"{grouped_number(number)} {word}" for number, word in done if number)


def approved_words(change_set: ChangeSet) -> str:
    """Return who proposed and who approved what was changed; an empty text without an approval (contract O5)."""
    if change_set.approved_by is None:
        return ""
    words = {"author": change_set.proposed_by, "approver": change_set.approved_by}
    return gettext("proposed by %(author)s, approved by %(approver)s") % words


def named_entry(entry: LogEntry) -> SafeString:
    """Return the element, its description, and which fields were changed or what else was done with it."""
    row, version = entry.version.row, entry.version
    text = shortened(description_of(row.descriptions, entry.change_set.repository), _TEXT_SHOWN)
    if not version.is_change:
        named = row.get_change_display()
        return format_html("<span><strong>{}</strong> {}</span>", row.element_id, named_value(text, named))
    fields = [one.heading for one in version.differences]
    named = ", ".join(fields[:_FIELDS_SHOWN]) + (", …" if len(fields) > _FIELDS_SHOWN else "")
    return format_html("<span><strong>{}</strong> {}</span>", row.element_id, named_value(text, named))


def report(admin: GrantedAdmin, request: HttpRequest) -> HttpResponse:
    """Show the elements of the list with what changed in each, to read and to print: up to 500."""
    if current := address_of_current(request, admin.open_keys(request)):
        return redirect(current)
    shown = admin.rows_of_list(request)
    if shown is None:
        return redirect(admin.route("changelist"))
    found = list(islice(_entries(request, shown), REPORTED + 1))
    return admin.render_page(
        request,
        "admin/activity/report.html",
        title=_("Changes"),
        asked=list(_asked_words(request, admin.repositories(request))),
        made_at=moment(timezone.now()),
        found=list(reported(found[:REPORTED])),
        is_cut_off=len(found) > REPORTED,
        maximum=REPORTED,
        address=f"{admin.route('changelist')}?{request.GET.urlencode()}",
    )


def export_entries(admin: GrantedAdmin, request: HttpRequest, format: Format) -> HttpResponseBase:
    """Return a file in CSV or a workbook with each value that the change sets of the list have changed."""
    if current := address_of_current(request, admin.open_keys(request)):
        return redirect(current)
    shown = admin.rows_of_list(request)
    address = f"{admin.route('changelist')}?{request.GET.urlencode()}"
    if shown is None:
        return redirect(admin.route("changelist"))
    total = F("created") + F("changed") + F("deleted")
    written = 0 if request.GET.get(ELEMENT) else shown.order_by().aggregate(total=Sum(total))["total"] or 0
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
    rows = chain.from_iterable(map(file_rows, _entries(request, shown)))
    try:
        return table_file(f"changes-{timezone.now():%Y-%m-%d}", format, headings, rows)
    except TableTooLarge as error:
        messages.error(request, str(error))
        return redirect(address)


def _entries(request: HttpRequest, shown: QuerySet[ChangeSet]) -> Iterator[LogEntry]:
    return entries_of(shown.iterator(chunk_size=1_000), request.GET.get(ELEMENT, "").strip())


def _asked_words(request: HttpRequest, repositories: QuerySet[Any]) -> Iterator[tuple[str, str]]:
    """Yield what the list was asked for: the name of each condition and its value."""
    choices = {
        "channel__exact": dict(Channel.choices),
        "repository__id__exact": {str(one.pk): one for one in repositories},
    }
    for name, words in ASKED.items():
        if value := request.GET.get(name, "").strip():
            yield str(words), str(choices.get(name, {}).get(value, value))


def reported(entries: Iterable[LogEntry]) -> Iterator[ShownDifference]:
    """Yield the elements of the report; the first one of each change set says when, by whom and why."""
    for one, together in groupby(entries, lambda entry: entry.change_set):
        words = (
            *(moment(one.committed_at), one.user, approved_words(one)),
            *(one.get_channel_display(), one.repository.db_id, one.reason),
        )
        about = " · ".join(filter(None, words))
        for entry in together:
            text = description_of(entry.version.row.descriptions, one.repository)
            shown = of_version(entry.version, text, "")
            shown.about, about = about, ""
            yield shown


def file_rows(entry: LogEntry) -> Iterator[list[str]]:
    """Yield the rows of the file: one for each value that was changed."""
    one, change = entry.change_set, Change(entry.version.row.change)
    stated = (one.reason, one.proposed_by, one.approved_by, one.approval_text)
    common = [moment(one.committed_at), one.user, one.get_channel_display(), *(text or "" for text in stated)]
    common += [one.repository.db_id, one.get_dimension_display(), entry.version.row.element_id, str(change.label)]
    for value in values_of(change, list(entry.version.differences)):
        yield [*common, value.heading, value.before, value.after, value.path]


REPORT_PAGES = (
    Page("report", "report/", report, "GET", "view"),
    *(
        Page(f"export_{format}", f"export/{format}/", partial(export_entries, format=format), "GET", "view")
        for format in FILES
    ),
)
