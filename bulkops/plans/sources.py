"""Sources of plans: another repository, an earlier state, the undo of what was written, and changes to selected
elements (contract K4, K7).

A state is the differences that lead to it from what is stored.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import orjson
from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum

from bulkops.plans.scopes import ElementScope
from bulkops.session.disk_lists import DiskList
from dimensions_site.api.errors import MAX_FAILURES, Failure, bad_request, quoted
from dimensions_site.changes.models import ChangeSet
from dimensions_site.changes.states import State, current_state
from dimensions_site.changes.versions import newest, versions_at, versions_written_in
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.comparing import DifferingElement, Side, compare_states, compare_version_sets
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.merging import FieldChange, patch_of
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened, uuid_of


class StateSource:
    """Finds what leads from the stored elements to a state, within a `scope`.

    That are `elements` to put, as JSON, and their `ids`; ids to delete (`deletions`); how many elements stay
    (`unchanged`). `obstacles` forbid to apply the plan; `obstacle_count` is the number of all.
    """

    def __init__(self, scope: ElementScope, elements: DiskList[bytes]) -> None:
        self._dimension = scope.dimension
        self._repository = scope.repository
        self._scope = scope
        self._versions = scope.dimension.model.versions_of(scope.repository)
        self.elements = elements
        self.ids: list[str] = []
        # The number of the version that was compared, None without one.
        self._bases: dict[str, int | None] = {}
        self.deletions: list[str] = []
        self.unchanged = 0
        self.obstacles: list[Failure] = []
        self.obstacle_count = 0

    def state(self, repository: Repository, state: State | None) -> None:
        """Find the changes that make the elements equal to those of the `repository` in its `state` (None: now).

        Raises `Problem` 400 if these are the elements themselves.
        """
        if state is None and repository == self._repository:
            message = f"The repository '{repository.db_id}' is the one of the plan; name another, or an earlier moment."
            raise bad_request([Failure("/repository", "INVALID_VALUE", message)])
        name = self._dimension.name
        now, _ = current_state(self._repository.pk, name)
        there = state or current_state(repository.pk, name)[0]
        versions = self._dimension.model.versions_of(repository)
        sides = Side(self._repository, now, self._scope.filter), Side(repository, there, self._scope.filter)
        self._add(compare_states(*sides), keeps_names=repository == self._repository)
        kept = self._scope.within(versions_at(versions, there)).count()
        self.unchanged = max(0, kept - len(self.elements))

    def undo(self, id: str, *, skips_conflicts: bool) -> None:
        """Find what brings back the elements that a change set, or an operation with many, has written.

        Elements that were changed again since are obstacles, or left as they are. Raises `Problem` 400 if nothing has
        this `id`.
        """
        sets = self._change_sets(id)
        own = Q(change_set__in=sets.values("pk"))
        written = versions_written_in(self._versions, sets)
        self._check_complete(sets, written)
        later = self._versions.exclude(own).filter(element_id=OuterRef("element_id"), number__gt=OuterRef("number"))
        replaced = written.filter(Exists(later))
        conflicts = replaced.order_by().values("element_id").distinct()
        if not skips_conflicts:
            self._refuse(conflicts.filter(self._was_within(replaced)) if self._scope else conflicts)
        kept = written.exclude(element_id__in=conflicts)
        present = newest(self._versions, kept).exclude(change=Change.DELETED)
        before = newest(self._versions.exclude(own), kept).exclude(change=Change.DELETED)
        self._add(compare_version_sets(self._scope.filter, present, before), keeps_names=True)

    def written_since(self, bases: Iterable[tuple[str, int | None]]) -> Iterator[Failure]:
        """Yield an error for each element that others have written since it was compared; its base is the number of its
        version by now, None without one.
        """
        for id, base in bases:
            if self._bases.get(id, base) != base:
                message = (
                    f"The element '{shortened(id)}' was changed again while the plan was made; make the plan again."
                )
                yield Failure("/undo", "CHANGED_SINCE", message, shortened(id))

    def _add(self, found: Generator[DifferingElement], *, keeps_names: bool) -> None:
        """Add the differences; elements keep a name besides their id, such as an oid, in their own repository."""
        for one in _within(found):
            self._bases[one.id] = one.number
            if one.after is None:
                self.deletions.append(one.id)
                continue
            names = one.names if keeps_names and one.before is None else {}
            self.ids.append(one.id)
            self.elements.append(orjson.dumps({"id": one.id, **names, **one.after}))

    def _change_sets(self, id: str) -> QuerySet[ChangeSet]:
        sets = change_sets(self._repository, self._dimension.name, id)
        if not sets.exists():
            message = (
                f"There is no change set or operation {quoted(id)} of the {self._dimension.name} dimension in "
                f"repository '{self._repository.db_id}'."
            )
            raise bad_request([Failure("/undo", "UNKNOWN_CHANGE_SET", message)])
        return sets

    def _check_complete(self, sets: QuerySet[ChangeSet], written: QuerySet[Any]) -> None:
        """Add an obstacle if the history no longer has all that the change `sets` have written, or replaced."""
        counted = sets.order_by().aggregate(total=Sum(F("created") + F("changed") + F("deleted")))["total"]
        gone = counted - written.count()
        earlier = self._versions.filter(element_id=OuterRef("element_id"), number__lt=OuterRef("number"))
        gone += written.exclude(change=Change.CREATED).filter(~Exists(earlier)).count()
        if gone:
            message = (
                f"{gone:,} of the versions that the undo needs are no longer stored: old versions were deleted. "
                "What they held cannot be brought back."
            )
            self.obstacles.append(Failure("/undo", "HISTORY_EXPIRED", message))
            self.obstacle_count += 1

    def _was_within(self, versions: QuerySet[Any]) -> Q:
        """Return the condition that an element is in the scope as one of the `versions` has it, or as it is now."""
        then, now = (
            self._scope.within(one).values("element_id") for one in (versions, newest(self._versions, versions))
        )
        return Q(element_id__in=then) | Q(element_id__in=now)

    def _refuse(self, conflicts: QuerySet[Any]) -> None:
        ids = list(conflicts.order_by("element_id").values_list("element_id", flat=True)[: MAX_FAILURES + 1])
        for id in ids[:MAX_FAILURES]:
            message = (
                f"The element '{shortened(id)}' was changed again since. Undo that first, or leave such elements as "
                'they are with "onConflict": "skip".'
            )
            self.obstacles.append(Failure("/undo", "CHANGED_SINCE", message, shortened(id)))
        self.obstacle_count += len(ids) if len(ids) <= MAX_FAILURES else conflicts.count()


def change_sets(repository: Repository, dimension: str, id: str) -> QuerySet[ChangeSet]:
    """Return the change set with this `id`, or the change sets of the operation with this id."""
    named = Q(operation=id) | Q(pk=uuid_of(id))
    return ChangeSet.objects.filter(named, repository=repository, dimension=dimension)


def _within(found: Generator[DifferingElement]) -> Iterator[DifferingElement]:
    """Yield the differences in the scope, one more than a plan may have at most."""
    maximum: int = settings.PLAN_MAX_CHANGES
    try:
        yield from islice((one for one in found if one.is_within), maximum + 1)
    finally:
        found.close()


# How many elements are read at a time: this many of the largest take 50 MB.
_BATCH = 200


class SelectedPatches:
    """The entries that make the `changes` to the elements with the `ids`, each made when it is needed.

    Changes that depend on what is stored read and lock the elements, so they can be used only while these are written.
    """

    def __init__(
        self, dimension: Dimension, repository: Repository, ids: Sequence[str], changes: Sequence[FieldChange]
    ) -> None:
        self._dimension = dimension
        self._repository = repository
        self._ids = ids
        self._changes = changes
        self._columns = sorted({change.place.column for change in changes if change.depends_on_stored})

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, position: int) -> msgspec.Raw:
        return next(self._entries([self._ids[position]]))

    def __iter__(self) -> Iterator[msgspec.Raw]:
        for start in range(0, len(self), _BATCH):
            yield from self._entries(self._ids[start : start + _BATCH])

    def _entries(self, ids: Sequence[str]) -> Iterator[msgspec.Raw]:
        stored = self._stored(ids)
        for id in ids:
            patch = patch_of(self._changes, stored.get(id, {}))
            yield msgspec.Raw(orjson.dumps({"key": {"id": id}, "data": patch}))

    def _stored(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        if not self._columns:
            return {}
        # In the order in which all bulk writers lock elements.
        rows = with_ids(self._dimension.model, self._repository, ids).order_by("element_id").select_for_update()
        found = rows.values_list("element_id", *self._columns)
        return {id: dict(zip(self._columns, values, strict=True)) for id, *values in found}
