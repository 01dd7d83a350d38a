"""Forgetting versions of elements that are old, a few at a time, while others read and write.

What an element was like at any moment since the day that is asked for stays. So a version goes only when another one
had taken its place by then, or when it tells of a deletion of before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from dimensions_site.elements.history import DELETED
from dimensions_site.elements.locking import SQLITE_PATIENCE, let_others_write
from dimensions_site.elements.models import Element
from dimensions_site.repositories.locks import sqlite_patience
from dimensions_site.repositories.models import Repository

# Versions that are looked at in one transaction: a tenth of a second, for which writers wait on SQLite, and nobody on
# PostgreSQL.
_AT_A_TIME = 2_000


@dataclass(frozen=True)
class Step:
    """What a transaction has done: `share` (0 to 1) of the history is looked at by now."""

    share: float
    looked_at: int
    forgotten: int


def forget(model: type[Element], repository: Repository | None, before: datetime, *, dry_run: bool) -> Iterator[Step]:
    """Forget what nobody has to know who asks for no moment before that; in all repositories when none is given.

    The oldest versions of an element go first, each step in a transaction of its own: whenever it ends, what is left of
    an element are its latest versions, without a gap. What is written meanwhile is left alone; a `dry_run` only counts.
    """
    history = model.history.order_by("history_id")
    first, last = history.aggregate(Min("history_id"), Max("history_id")).values()
    reached = (first or 0) - 1
    # By the primary key alone: it costs the same however many versions there are, and of whom.
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
    """The versions that were no element's any more at that moment."""
    history: QuerySet[Any] = model.history.order_by()
    later = history.filter(id=OuterRef("id"), history_id__gt=OuterRef("history_id"), history_date__lt=before)
    return history.filter(Q(history_type=DELETED) | Q(Exists(later)), history_date__lt=before)


def _deleted(rows: QuerySet[Any]) -> int:
    with sqlite_patience(SQLITE_PATIENCE):
        count, _ = rows.delete()
    return count
