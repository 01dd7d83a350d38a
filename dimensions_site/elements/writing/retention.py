"""Removing old versions of elements, a few at a time, while others read and write.

Every state since the requested day is kept. So a version is removed only if a newer one had replaced it by then, or if
it records a deletion before that day.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from dimensions_site.db.locks import sqlite_timeout
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.history import DELETED
from dimensions_site.elements.writing.locking import SQLITE_TIMEOUT, let_others_write
from dimensions_site.repositories.models import Repository

# Versions per transaction: a tenth of a second, during which writers wait on SQLite, but not on PostgreSQL.
_AT_A_TIME = 2_000


@dataclass(frozen=True)
class Step:
    """The result of a transaction: how many versions it checked and deleted; `share` (0 to 1) is checked so far."""

    share: float
    checked: int
    deleted: int


def remove_versions(
    model: type[Element], repository: Repository | None, before: datetime, *, dry_run: bool
) -> Iterator[Step]:
    """Delete versions that no query for a later time needs; in all repositories if `repository` is None.

    The oldest versions of an element go first, each step in its own transaction, so an interrupted run leaves each
    element its latest versions without a gap. Versions written meanwhile are kept. With `dry_run` versions are only
    counted.
    """
    history = model.history.order_by("history_id")
    first, last = history.aggregate(Min("history_id"), Max("history_id")).values()
    reached = (first or 0) - 1
    # By the primary key alone, whose cost depends neither on the number of versions nor on the repository.
    while keys := list(
        history.filter(history_id__gt=reached, history_id__lte=last or 0).values_list("history_id", flat=True)[
            :_AT_A_TIME
        ]
    ):
        old = _replaced(model, before).filter(history_id__gt=reached, history_id__lte=keys[-1])
        if repository is not None:
            old = old.filter(repository=repository)
        reached = keys[-1]
        share = (reached - first + 1) / (last - first + 1)
        yield Step(share, len(keys), old.count() if dry_run else _deleted(old))
        let_others_write()


def _replaced(model: type[Element], before: datetime) -> QuerySet[Any]:
    """Return the versions that had been replaced or deleted by that time."""
    history: QuerySet[Any] = model.history.order_by()
    later = history.filter(id=OuterRef("id"), history_id__gt=OuterRef("history_id"), history_date__lt=before)
    return history.filter(Q(history_type=DELETED) | Q(Exists(later)), history_date__lt=before)


def _deleted(rows: QuerySet[Any]) -> int:
    with sqlite_timeout(SQLITE_TIMEOUT):
        count, _ = rows.delete()
    return count
