"""The versions and the change sets that a state has, or that lie between states (contract I3, I4, J1)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest, Least

from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.changes.states import State, in_slots, later_change_sets, numbers_given
from dimensions_site.db.among import Among, AmongGiven, NotAmong
from dimensions_site.db.compiled import CompiledQuery, Param
from dimensions_site.db.shards import in_shard, is_sharded

# How many change sets a query names by their ids.
_FEW = 500


def empty_change_sets(
    repository: int, dimension: str, versions: QuerySet[Any], size: int
) -> Iterator[QuerySet[ChangeSet]]:
    """Yield the change sets before the horizon that have none of the `versions`, in parts of `size`."""
    horizon = Slot.objects.filter(repository=repository, dimension=dimension, slot=OuterRef("slot"))
    empty = ChangeSet.objects.filter(
        ~Exists(versions.filter(change_set=OuterRef("pk"))),
        repository=repository,
        dimension=dimension,
        # That at the horizon itself says where it is.
        number__lt=Subquery(horizon.values("horizon")),
    )
    while keys := list(empty.values_list("pk", flat=True)[:size]):
        yield in_shard(ChangeSet.objects.filter(pk__in=keys), repository)


def versions_at(versions: QuerySet[Any], state: State) -> QuerySet[Any]:
    """Return those of the `versions`, of one repository, that were the elements in its `state`."""
    return versions_before(versions, state.later())


def versions_before(
    versions: QuerySet[Any], later: QuerySet[ChangeSet], written: QuerySet[Any] | None = None
) -> QuerySet[Any]:
    """Return those of the `versions`, of one repository, that were the elements before the change sets `later`.

    With `written`, only those of elements that these other versions belong to.
    """
    return newest(versions.filter(NotAmong("change_set_id", later.values("pk"))), written).exclude(change="-")


def versions_given(versions: QuerySet[Any], column: str) -> QuerySet[Any]:
    """Return the versions with one of the given numbers or change sets, which are of the repository of `versions`.

    The bind parameter has the name of the `column` and the value that `array_of` returns.
    """
    return _among(versions, AmongGiven(column, Param(column)))


def change_sets_after(prefix: str = "") -> QuerySet[ChangeSet]:
    """Return the change sets that were committed after a state; `State.given` has the values, with the `prefix`."""
    return later_change_sets(numbers_given(prefix), Param(f"{prefix}repository"), Param(f"{prefix}dimension"))


def change_sets_between() -> QuerySet[ChangeSet]:
    """Return the change sets that only one of two states has.

    `State.given` has the values, with the prefixes `before_` and `after_`.
    """
    one, other = numbers_given("before_"), numbers_given("after_")
    only_one = in_slots(
        lambda slot: Q(number__gt=Least(one[slot], other[slot]), number__lte=Greatest(one[slot], other[slot]))
    )
    return ChangeSet.objects.filter(only_one, repository=Param("after_repository"), dimension=Param("after_dimension"))


_IDS_AFTER, _IDS_BETWEEN = (
    CompiledQuery(one.values_list("pk"), keeps_plan=False) for one in (change_sets_after(), change_sets_between())
)


def few_after(state: State, *, using: str) -> list[UUID] | None:
    """Return the ids of the change sets that were committed after the `state`, or None if they are many; one query."""
    return _if_few(_IDS_AFTER.all(using=using, within=slice(_FEW + 1), **state.given()))


def few_between(before: State, after: State) -> list[UUID] | None:
    """Return the ids of the change sets that only one of two states of the same dimension has, as `few_after` does."""
    given = {**before.given("before_"), **after.given("after_")}
    return _if_few(_IDS_BETWEEN.all(within=slice(_FEW + 1), **given))


def versions_written_in(versions: QuerySet[Any], change_sets: QuerySet[ChangeSet]) -> QuerySet[Any]:
    """Return the versions, of the model of the `versions`, that the `change_sets` have written; one query."""
    few = _if_few(change_sets.using(versions.db).values_list("pk")[: _FEW + 1])
    # By their values PostgreSQL knows that they are not the few large ones of its statistics.
    return written_in_many(versions, change_sets) if few is None else _among(versions, Q(change_set__in=few))


def written_in_many(versions: QuerySet[Any], change_sets: QuerySet[ChangeSet]) -> QuerySet[Any]:
    """Return the versions, of the model of the `versions`, that the `change_sets` have written."""
    return _among(versions, Among("change_set_id", change_sets.using(versions.db).values("pk")))


def _if_few(found: Iterable[Sequence[UUID]]) -> list[UUID] | None:
    """Return the ids that were `found`, or None if they are too many."""
    ids = [id for (id,) in found]
    return ids if len(ids) <= _FEW else None


def newest(versions: QuerySet[Any], written: QuerySet[Any] | None = None) -> QuerySet[Any]:
    """Return the version with the highest number of each element of the `versions`, all of one repository.

    With `written`, only the elements that these other versions belong to. Each is then looked up by itself, because
    PostgreSQL would read all versions of a repository that its statistics do not know yet.
    """
    return _among(versions, Among("number", _last_numbers(versions, written)))


def _last_numbers(versions: QuerySet[Any], written: QuerySet[Any] | None) -> QuerySet[Any]:
    numbers: QuerySet[Any]
    if written is not None and is_sharded():
        # For each by itself, a worker that takes the shard for empty would read all of it.
        versions, written = versions.filter(Among("element_id", written.order_by().values("element_id"))), None
    if written is None:
        numbers = versions.order_by().values("element_id").annotate(last=Max("number")).values_list("last")
        return numbers
    of_element = versions.filter(element_id=OuterRef("element_id")).order_by("-number")
    numbers = written.order_by().values_list(Subquery(of_element.values("number")[:1])).distinct()
    return numbers


def _among(versions: QuerySet[Any], condition: Any) -> QuerySet[Any]:
    """Return the versions, of the model of the `versions`, with numbers or change sets of one repository.

    The repository is no condition of its own, except where it decides the shard: SQLite would read all versions of it.
    """
    model: Any = versions.model
    base = versions.order_by() if is_sharded() else model._base_manager.using(versions.db)
    found: QuerySet[Any] = base.filter(condition)
    return found
