"""Deleting old versions of elements, a few at a time, while others read and write (design/history.md).

Every state since the requested instant is kept. So a version is deleted only if a newer one had replaced it by then, or
if it records a deletion before that instant.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from dimensions_site.changes.states import move_horizon
from dimensions_site.changes.versions import empty_change_sets
from dimensions_site.db.shards import is_sharded
from dimensions_site.db.transactions import sqlite_timeout
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.writing.locking import SQLITE_TIMEOUT, let_others_write
from dimensions_site.repositories.models import Repository

# Versions per transaction: a tenth of a second, during which writers wait on SQLite, but not on PostgreSQL.
_AT_A_TIME = 2_000


@dataclass(frozen=True)
class CleaningStep:
    """The result of a transaction: how many versions it checked and deleted; `share` (0 to 1) is checked so far."""

    share: float
    checked: int
    deleted: int


def refuse_states_before(dimension: Dimension, repository: Repository, before: datetime) -> bool:
    """Let states before that instant be refused from now on (contract I4, J1); return False if nothing is to delete.

    Reads that began earlier may still need what `remove_versions` deletes: let READ_TIMEOUT_SECONDS pass.
    """
    is_needed = _replaced(dimension.model.versions_of(repository), before).exists()
    if is_needed:
        move_horizon(repository.pk, dimension.name, before)
    return is_needed


def remove_versions(
    dimension: Dimension, repository: Repository, before: datetime, *, dry_run: bool
) -> Iterator[CleaningStep]:
    """Delete the versions in the `repository` that no state since `before` needs, and change sets that have none left.

    One element after the other, and of each the oldest versions first, each step in its own transaction, so an
    interrupted run leaves each element its latest versions without a gap. Versions written meanwhile are kept. With
    `dry_run` versions are only counted.
    """
    versions = dimension.model.versions_of(repository)
    total, last = versions.aggregate(total=Count("number"), last=Max("number")).values()
    places = versions.filter(number__lte=last or 0).order_by("element_id", "number").values_list("element_id", "number")
    checked, id, number = 0, "", 0
    # By the index of the elements' versions.
    while part := list(places.filter(Q(element_id__gt=id) | Q(number__gt=number), element_id__gte=id)[:_AT_A_TIME]):
        old = _replaced(versions, before).filter(number__in=[number for _, number in part])
        if is_sharded():  # the deletion would name the repository only in the query that finds them
            old = versions.filter(number__in=list(old.values_list("number", flat=True)))
        checked, (id, number) = checked + len(part), part[-1]
        yield CleaningStep(min(1.0, checked / total), len(part), old.count() if dry_run else _deleted(old))
        let_others_write()
    if not dry_run:
        for sets in empty_change_sets(repository.pk, dimension.name, versions, _AT_A_TIME):
            _deleted(sets)
            let_others_write()


def _replaced(versions: QuerySet[Any], before: datetime) -> QuerySet[Any]:
    later = versions.filter(
        element_id=OuterRef("element_id"), number__gt=OuterRef("number"), change_set__committed_at__lte=before
    )
    # Where the clock was put back, a version from before a deletion may have a later time, and stays.
    stays = versions.filter(
        element_id=OuterRef("element_id"), number__lt=OuterRef("number"), change_set__committed_at__gt=before
    )
    is_old = Q(change_set__committed_at__lte=before)
    return versions.filter(is_old, Q(change=Change.DELETED) & ~Exists(stays) | Q(Exists(later)))


def _deleted(rows: QuerySet[Any]) -> int:
    with sqlite_timeout(SQLITE_TIMEOUT):
        count, _ = rows.delete()
    return count
