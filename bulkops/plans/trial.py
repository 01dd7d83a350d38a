"""The trial of a plan: it does what applying the plan would do, notes what that changes, and rolls it back.

So a plan shows exactly what the same writers do, with all that they check (contract K4).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from bulkops.plans.requests import PlanRequest
from bulkops.plans.scopes import ElementScope
from bulkops.session.disk_lists import DiskList
from bulkops.session.session import WriteSession
from bulkops.session.writer import Counts
from dimensions_site.api.errors import MAX_FAILURES, Failure
from dimensions_site.api.failures import MAX_COUNTED
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.versions import newest
from dimensions_site.db.read_limits import limited_reads
from dimensions_site.elements.history.comparing import DifferingElement, compare_version_sets
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.filters import ElementFilter
from dimensions_site.elements.reading.lookup import with_ids, with_keys
from dimensions_site.elements.writing.locking import refuse_when_crowded, writing_in_turn
from dimensions_site.elements.writing.saving import change_set_of
from dimensions_site.text.formats import shortened

# How many ids one query names.
_TOGETHER = 1_000
# What STRICT refuses, when the plan is made and when it is applied.
UNKNOWN_REFERENCE = (
    "{path} refers to the {dimension} '{id}', which the plan deletes, or which is neither in the repository nor in the "
    "plan; name one that stays, or make the plan with saveMode LOOSE."
)
# The JSON Pointer of the ids to delete.
_DELETIONS = "/bulk/delete"


class PlanStep(NamedTuple):
    """What a plan does to one element, as `bulkops.models.PlanChange` keeps it."""

    element_id: str
    action: str
    base: int | None
    after: str | None
    changes: str


@dataclass
class PlanTrial:
    """Tries what a plan saves and deletes within the `scope`, by the elements and deletions in the `request`.

    Adds the steps to `steps`, and what forbids to apply the plan to `obstacles`. Used once.
    """

    scope: ElementScope
    actor: Actor
    request: PlanRequest
    steps: DiskList[PlanStep]
    deleted: int = 0
    not_found: list[str] = field(default_factory=list)
    obstacles: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dimension, self._repository = self.scope.dimension, self.scope.repository
        envelope = self.request.envelope
        self._session = WriteSession(self._dimension, self._repository, self.actor, envelope, UNKNOWN_REFERENCE)
        self._outside: set[str] = set()

    def run(self) -> Counts:
        """Return what saving does; it is rolled back. Raises `Problem` as `save_all` does."""
        refuse_when_crowded(self._repository)
        with self._session.staging():
            self.scope.keep()  # may take long, so it is done before others have to wait
            with writing_in_turn(self._repository):
                self.scope.renew()
                stored_count = self.scope.kept(self._dimension.model.of(self._repository)).count()
                self._session.stage_dependent()
                self._delete(stored_count)
                self._session.write(goes_on=bool(self.scope))
                self._note_steps()
                transaction.set_rollback(True)
        return self._session.writer.saved

    def _delete(self, stored_count: int) -> None:
        for id in self.request.deletions:
            if place := self._session.entries.place_of(id):
                message = f"The id '{shortened(id)}' is at {place} already; it must appear only once."
                self._session.errors.add_later([(0, Failure(_DELETIONS, "REPEATED", message, shortened(id)))], 1)
        for rows in self._to_delete():
            self.deleted += len(self._session.writer.delete(rows, self.actor))
        maximum = self.request.max_delete
        # Without stored elements all deletions are outside of the scope, which is refused.
        if self.deleted and stored_count and not maximum.allows(self.deleted, stored_count):
            where = "elements in the scope" if self.scope else "stored elements"
            message = (
                f"The plan deletes {self.deleted:,} of the {stored_count:,} {where} "
                f"({self.deleted / stored_count:.1%}); maxDelete is {maximum}. Check that the source is "
                "complete, or allow more with maxDelete."
            )
            self.obstacles.append(Failure("/maxDelete", "TOO_MANY_DELETIONS", message))

    def _to_delete(self) -> Iterator[QuerySet[Any]]:
        if self.request.is_snapshot:
            yield self.scope.kept(self._session.writer.absent())
        # In the order of their ids, as all bulk writers lock elements.
        ids = sorted(self.request.deletions)
        for start in range(0, len(ids), _TOGETHER):
            rows = with_ids(self._dimension.model, self._repository, ids[start : start + _TOGETHER])
            self._refuse_outside(self.scope.not_kept(rows))
            found = set(rows.values_list("element_id", flat=True))
            self.not_found += (id for id in ids[start : start + _TOGETHER] if id not in found)
            yield rows

    def _note_steps(self) -> None:
        """Add what this transaction has written, compared with what was there before."""
        model = self._dimension.model
        versions = model.versions_of(self._repository)
        own = change_set_of(model, self._repository.pk, self.actor)
        written = versions.filter(change_set=own)
        before = newest(versions.exclude(change_set=own), written).exclude(change=Change.DELETED)
        after = written.exclude(change=Change.DELETED)
        if self.scope:
            self._refuse_outside(
                self.scope.outside(with_keys(model, self._repository, "SELECT target FROM bulk_plan", []))
            )
            self._refuse_outside(self.scope.not_kept(before))
            self._refuse_outside(self.scope.outside(self.scope.late(before)))
            if self._session.errors:
                self._refuse_outside(self.scope.not_kept(self._session.writer.with_errors()))
        if not self._session.errors.leaves_out:
            self._session.errors.refuse()
        maximum: int = settings.PLAN_MAX_CHANGES
        everything = ElementFilter(self._dimension, self._repository, None)
        for difference in compare_version_sets(everything, before, after):
            if len(self.steps) == maximum:
                message = f"The plan changes more than {maximum:,} elements. Narrow it with a scope."
                self.obstacles.append(Failure("", "TOO_MANY_CHANGES", message))
                break
            self.steps.append(self._step(difference))

    def _refuse_outside(self, rows: QuerySet[Any]) -> None:
        """Add an error for each of the `rows`, elements or versions that the scope excludes."""
        if not self.scope:
            return
        with limited_reads():
            ids = set(rows.order_by("element_id").values_list("element_id", flat=True)[: MAX_COUNTED + 1])
        errors = self._session.errors
        new = sorted((errors.first_position("element_id", id) or 0, id) for id in ids - self._outside)
        self._outside |= ids
        failures = ((position, self._is_outside(id)) for position, id in new[:MAX_FAILURES])
        errors.add_later(failures, len(new))

    def _is_outside(self, id: str) -> Failure:
        path = self._session.entries.place_of(id) or _DELETIONS
        message = f"The element '{shortened(id)}' is outside the scope, which the plan must not touch."
        return Failure(path, "OUTSIDE_SCOPE", message, shortened(id))

    def _step(self, difference: DifferingElement) -> PlanStep:
        after = difference.after
        text = None if after is None else orjson.dumps({"id": difference.id, **difference.names, **after}).decode()
        return PlanStep(difference.id, difference.action, difference.number, text, difference.changes)
