"""The entries of the change log: the elements that change sets wrote, with what changed, in words (contract I1)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from bulkops.models import Plan
from dimensions_site.administration.base.differences import ShownDifference, of_version, values_of
from dimensions_site.administration.base.naming import description_of
from dimensions_site.administration.plans.words import source_words
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.models import Change
from dimensions_site.elements.writing.restoring import ShownVersion, compare_versions
from dimensions_site.text.formats import grouped_number, moment, shortened

# How many change sets, and how many versions, are read together.
_TOGETHER = 100
# How many of the fields of a changed element the list names.
_FIELDS_SHOWN = 3
# Characters of the description of an element.
_TEXT_SHOWN = 60


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
            found = compare_versions(dimension, part[:_TOGETHER], repositories, _TOGETHER)
            yield from (LogEntry(sets[version.row.change_set_id], version) for version in found)
            if len(found) < _TOGETHER:
                break
            last = found[-1].row.number


def spellings(id: str) -> Sequence[str]:
    """Return the ids that people mean when they type `id`: mostly in capitals, which they rarely type."""
    return list(dict.fromkeys((id, id.upper())))


def _batches(change_sets: Iterable[ChangeSet]) -> Iterator[Sequence[ChangeSet]]:
    for _dimension, found in groupby(change_sets, lambda one: one.dimension):
        while together := list(islice(found, _TOGETHER)):
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


def named_entry(entry: LogEntry) -> SafeString:
    """Return the element, its description, and which fields were changed or what else was done with it."""
    row, version = entry.version.row, entry.version
    text = shortened(description_of(row.descriptions, entry.change_set.repository), _TEXT_SHOWN)
    if not version.is_change:
        return format_html("<span><strong>{}</strong> {}: {}</span>", row.element_id, text, row.get_change_display())
    fields = [one.heading for one in version.differences]
    named = ", ".join(fields[:_FIELDS_SHOWN]) + (", …" if len(fields) > _FIELDS_SHOWN else "")
    return format_html("<span><strong>{}</strong> {}: {}</span>", row.element_id, text, named)
