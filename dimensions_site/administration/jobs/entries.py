"""The entries of the change log: the elements that change sets wrote, each with what changed (contract I1)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from bulkops.models import Plan
from dimensions_site.administration.plans.words import source_words
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.writing.restoring import ShownVersion, compare_versions

# How many change sets, and how many versions, are read together.
_TOGETHER = 100


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
