"""The trial of a plan: it does what applying the plan would do, notes what that changes, and rolls it back.

So a plan shows exactly what the same writers do, with all that they check (contract K4).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.db.models import QuerySet

from bulkops.files.imports.options import Share
from bulkops.plans.scopes import ElementScope
from bulkops.save.saving import BulkSave
from bulkops.writers.disk_lists import DiskList
from dimensions_site.api.errors import MAX_FAILURES, Failure
from dimensions_site.changes.states import newest
from dimensions_site.db.read_limits import limited_reads
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.changed_values import changes_json
from dimensions_site.elements.history.comparing import Difference, Rows, differing
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.lookup import with_ids, with_keys
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.history import change_set_of
from dimensions_site.repositories.models import Repository
from dimensions_site.text.shortening import shortened

# How many ids one query names.
_TOGETHER = 1_000
# The JSON Pointer of the ids to delete.
_DELETIONS = "/bulk/delete"


class Step(NamedTuple):
    """What a plan does to one element, as `bulkops.models.PlanChange` keeps it."""

    element_id: str
    action: str
    base: int | None
    after: str | None
    changes: str


class PlanTrial(BulkSave):
    """Tries what a plan saves and deletes: the elements with the ids `deletions`, and those that a snapshot lacks.

    Adds the steps to `steps`, and what forbids to apply the plan to `obstacles`. Used once.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        actor: Actor,
        scope: ElementScope,
        steps: DiskList[Step],
        *,
        deletions: Sequence[str],
        deletes_absent: bool,
        max_delete: Share,
    ) -> None:
        super().__init__(dimension, repository, actor)
        self._scope = scope
        self._steps = steps
        self._deletions = deletions
        self._deletes_absent = deletes_absent
        self._max_delete = max_delete
        self._outside: set[str] = set()
        self.deleted = 0
        self.not_found: list[str] = []
        self.obstacles: list[Failure] = []

    def _look(self) -> None:
        self._scope.keep()

    def _begin(self) -> None:
        self._scope.renew()
        self._stored_count = self._scope.kept(self._dimension.model.of(self._repository)).count()

    def _remove(self) -> None:
        for id in self._deletions:
            if place := self._reader.place_of(id):
                message = f"The id '{shortened(id)}' is at {place} already; it must appear only once."
                self._errors.add_later([(0, Failure(_DELETIONS, "REPEATED", message, shortened(id)))], 1)
        for rows in self._to_delete():
            self.deleted += len(self._writer.delete(rows, self._actor))
        if self.deleted and not self._max_delete.allows(self.deleted, self._stored_count):
            where = "elements in the scope" if self._scope else "stored elements"
            message = (
                f"The plan deletes {self.deleted:,} of the {self._stored_count:,} {where} "
                f"({self.deleted / self._stored_count:.1%}); maxDelete is {self._max_delete}. Check that the source is "
                "complete, or allow more with maxDelete."
            )
            self.obstacles.append(Failure("/maxDelete", "TOO_MANY_DELETIONS", message))

    def _to_delete(self) -> Iterator[QuerySet[Any]]:
        if self._deletes_absent:
            yield self._scope.kept(self._writer.absent())
        # In the order of their ids, as all bulk writers lock elements.
        ids = sorted(self._deletions)
        for start in range(0, len(ids), _TOGETHER):
            rows = with_ids(self._dimension.model, self._repository, ids[start : start + _TOGETHER])
            self._refuse_outside(self._scope.not_kept(rows))
            found = set(rows.values_list("element_id", flat=True))
            self.not_found += (id for id in ids[start : start + _TOGETHER] if id not in found)
            yield rows

    def _end(self) -> None:
        model = self._dimension.model
        # What this transaction has written, and what was there before.
        versions = model.versions_of(self._repository)
        own = change_set_of(model, self._repository.pk, self._actor)
        written = versions.filter(change_set=own)
        before = newest(versions.exclude(change_set=own), written).exclude(change=Change.DELETED)
        after = written.exclude(change=Change.DELETED)
        if self._scope:
            self._refuse_outside(self._scope.outside(with_keys(model, "SELECT target FROM bulk_plan", [])))
            self._refuse_outside(self._scope.not_kept(before))
            self._refuse_outside(self._scope.outside(self._scope.late(before)))
        self._errors.refuse()
        maximum: int = settings.PLAN_MAX_CHANGES
        for difference in differing(self._dimension, Rows(before), Rows(after)):
            if len(self._steps) == maximum:
                message = f"The plan changes more than {maximum:,} elements. Narrow it with a scope."
                self.obstacles.append(Failure("", "TOO_MANY_CHANGES", message))
                break
            self._steps.append(self._step(difference))

    def _refuse_outside(self, rows: QuerySet[Any]) -> None:
        """Add an error for each of the `rows`, elements or versions that the scope excludes."""
        if not self._scope:
            return
        with limited_reads():
            ids = list(rows.order_by("element_id").values_list("element_id", flat=True)[: MAX_FAILURES + 1])
        new = [id for id in ids if id not in self._outside]
        self._outside.update(new)
        self._errors.add_later([(len(self._outside), self._is_outside(id)) for id in new[:MAX_FAILURES]], len(new))

    def _is_outside(self, id: str) -> Failure:
        path = self._reader.place_of(id) or _DELETIONS
        message = f"The element '{shortened(id)}' is outside the scope, which the plan must not touch."
        return Failure(path, "OUTSIDE_SCOPE", message, shortened(id))

    def _step(self, difference: Difference) -> Step:
        after = difference.after
        text = None if after is None else orjson.dumps({"id": difference.id, **difference.names, **after}).decode()
        changes = changes_json(self._dimension, *difference.differing)
        return Step(difference.id, difference.action, difference.number, text, changes)
