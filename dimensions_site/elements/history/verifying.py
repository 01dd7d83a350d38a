"""Verify that elements, versions and change sets of a repository fit together, as after a restore (contract P5)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.repositories.models import Repository

# How many ids a sentence names.
_NAMED = 5


@contextmanager
def one_state() -> Iterator[None]:
    """Let all queries of the block read one state of the database, also while others write; they wait for nobody."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def misfits(dimension: Dimension, repository: Repository) -> list[str]:
    """Return a sentence for each kind of thing that does not fit; none if all do.

    The newest version of each element equals it, each version has its change set, the numbers of each slot have no gap
    after the horizon of retention, and each change set after it counts its versions.
    """
    versions = dimension.model.versions_of(repository)
    sets = ChangeSet.objects.filter(repository=repository, dimension=dimension.name)
    of_version = sets.filter(pk=OuterRef("change_set_id"))
    return [
        *_elements(dimension, repository, versions),
        *_listed("versions without a change set, of", "element_id", versions.filter(~Exists(of_version))),
        *_slots(repository, dimension, sets),
        *_counts(versions, sets),
    ]


def _elements(dimension: Dimension, repository: Repository, versions: QuerySet[Any]) -> Iterator[str]:
    columns = [column.attname for column in dimension.model._meta.concrete_fields]
    later = versions.filter(element_id=OuterRef("element_id"), number__gt=OuterRef("number"))
    newest = versions.filter(~Exists(later)).exclude(change=Change.DELETED).values_list(*columns)
    stored = dimension.model.of(repository).values_list(*columns)
    place = columns.index("element_id")
    for what, differing in (
        ("elements that are not as their newest version", stored.difference(newest)),
        ("newest versions that are not as their element", newest.difference(stored)),
    ):
        if count := differing.count():
            yield f"{count:,} {what}: {_named([row[place] for row in differing[:_NAMED]], count)}"


def _slots(repository: Repository, dimension: Dimension, sets: QuerySet[ChangeSet]) -> Iterator[str]:
    for slot in Slot.objects.filter(repository=repository, dimension=dimension.name).order_by("slot"):
        of_slot = sets.filter(slot=slot.slot)
        found = of_slot.filter(number__gt=slot.horizon).aggregate(count=Count("pk"), last=Max("number"))
        wanted = slot.number - slot.horizon
        if (found["count"], found["last"] or slot.horizon) != (wanted, slot.number):
            yield (
                f"slot {slot.slot} has {found['count']:,} change sets up to number {found['last']}; "
                f"it must have {wanted:,}, up to number {slot.number}"
            )
        elif wanted and [slot.last] != list(of_slot.filter(number=slot.number).values_list("pk", flat=True)):
            yield f"slot {slot.slot} ends with another change set than {slot.last}"


def _counts(versions: QuerySet[Any], sets: QuerySet[ChangeSet]) -> Iterator[str]:
    place = {name: OuterRef(name) for name in ("repository", "dimension", "slot")}
    found = sets.filter(Exists(Slot.objects.filter(**place, horizon__lt=OuterRef("number"))))
    miscounted = Q(pk__in=[])
    for change in Change:
        name = change.action
        of_set = versions.filter(change_set=OuterRef("pk"), change=change).order_by().values("change_set")
        counted = Subquery(of_set.annotate(n=Count("number")).values("n"), output_field=IntegerField())
        found = found.annotate(**{f"found_{name}": Coalesce(counted, 0)})
        miscounted |= ~Q(**{f"found_{name}": F(name)})
    yield from _listed("change sets that do not count their versions", "pk", found.filter(miscounted))


def _listed(what: str, column: str, rows: QuerySet[Any]) -> Iterator[str]:
    if count := rows.count():
        yield f"{count:,} {what}: {_named(rows.values_list(column, flat=True)[:_NAMED], count)}"


def _named(found: Any, count: int) -> str:
    return ", ".join(map(str, found)) + (" …" if count > _NAMED else "")
