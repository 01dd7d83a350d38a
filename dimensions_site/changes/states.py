"""States: exactly what had been committed to a dimension of a repository at one moment (contract I4, J1)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.changes.placing import SLOTS
from dimensions_site.db.among import Among, AmongGiven, array_of_uuids
from dimensions_site.db.compiled import CompiledQuery, Param
from dimensions_site.db.locks import sqlite_timeout

# How many seconds the answer about an instant waits on SQLite for a transaction that may be ending at that moment.
_SQLITE_BARRIER = 1.0
# How long, at most, the end of a transaction takes on SQLite, from its time to its commit.
_SQLITE_ENDING = timedelta(seconds=60)


@dataclass(frozen=True)
class SlotPosition:
    """The number of a change set in its slot, and the first bytes of its id: a restored backup has others."""

    number: int
    mark: bytes


@dataclass(frozen=True)
class State:
    """The change sets that had been committed to one dimension of one repository (a primary key) at one moment.

    `places` has the last of each slot that had one.
    """

    repository: int
    dimension: str
    places: Mapping[int, SlotPosition]

    def numbers(self) -> dict[int, int]:
        """Return the number of the last change set of each slot that had one."""
        return {slot: place.number for slot, place in self.places.items()}

    def later(self) -> QuerySet[ChangeSet]:
        """Return the change sets that were committed after this state."""
        return _later(self.numbers(), self.repository, self.dimension)

    def given(self) -> dict[str, Any]:
        """Return the values of the bind parameters of `change_sets_after`."""
        numbers = {f"number_{slot}": number for slot, number in self.numbers().items()}
        return {"repository": self.repository, "dimension": self.dimension, **numbers}

    def condition(self) -> Q:
        """Return the condition that a change set was committed after this state."""
        return _after(self.numbers())


def _after(numbers: Mapping[int, Any]) -> Q:
    """Return the condition that a change set comes after these `numbers` by slot; in any other slot, all do."""
    after = ~Q(slot__in=list(numbers))
    for slot, number in numbers.items():
        after |= Q(slot=slot, number__gt=number)
    return after


def _later(numbers: Mapping[int, Any], repository: Any, dimension: Any) -> QuerySet[ChangeSet]:
    return ChangeSet.objects.filter(_after(numbers), repository=repository, dimension=dimension)


def change_sets_after(slots: Collection[int]) -> QuerySet[ChangeSet]:
    """Return the change sets that were committed after a state with these `slots`; `State.given` has the values."""
    return _later({slot: Param(f"number_{slot}") for slot in slots}, Param("repository"), Param("dimension"))


@dataclass(frozen=True)
class Horizon:
    """What retention may have deleted: what was replaced up to these numbers by slot, and up to this instant."""

    numbers: Mapping[int, int]
    at: datetime | None


def current(repository: int, dimension: str, *, using: str = DEFAULT_DB_ALIAS) -> tuple[State, Horizon]:
    """Return the state of this moment, and the horizon; one query of the database with the name `using`."""
    found = _slots().all(using=using, repository=repository, dimension=dimension)
    places = {slot: SlotPosition(number, last.bytes[:MARK]) for slot, number, last, _, _ in found if last is not None}
    instants = [at for *_, at in found if at is not None]
    numbers = {slot: number for slot, _, _, number, _ in found if number}
    return State(repository, dimension, places), Horizon(numbers, max(instants, default=None))


@cache
def _slots() -> CompiledQuery:
    rows = Slot.objects.filter(repository=Param("repository"), dimension=Param("dimension"))
    return CompiledQuery(rows.values_list("slot", "number", "last", "horizon", "horizon_at"))


# How many change sets a query names by their ids.
_FEW = 500
# How many bytes of an id a place keeps.
MARK = 4


def has_places(state: State, now: State, *, using: str = DEFAULT_DB_ALIAS) -> bool:
    """Return whether the change sets of the `state` are still those that the database has; at most one query.

    They are not after the restoration of a backup that lacks some of them. `now` is the current state of the database
    with the name `using`.
    """
    differing = {slot: place for slot, place in state.places.items() if now.places.get(slot) != place}
    if any(slot not in now.places or now.places[slot].number <= place.number for slot, place in differing.items()):
        return False
    if not differing:
        return True
    wanted = Q()
    for slot, place in differing.items():
        wanted |= Q(slot=slot, number=place.number)
    found = ChangeSet.objects.using(using).filter(wanted, repository=state.repository, dimension=state.dimension)
    marks = {slot: id.bytes[:MARK] for slot, id in found.values_list("slot", "id")}
    return all(marks.get(slot) == place.mark for slot, place in differing.items())


class Future(ValueError):
    """An instant that has not come yet; `now` is the database's time."""

    def __init__(self, now: datetime) -> None:
        super().__init__(f"It is {now} now.")
        self.now = now


def state_at(repository: int, dimension: str, instant: datetime) -> State:
    """Return the state at an `instant`: all that had been committed by then.

    It is the same whenever it is asked for, because what is being committed is awaited first. Raises `Future`, and
    `OperationalError` if a writer holds SQLite's lock for too long.
    """
    _await_commits(repository, dimension, instant)
    of_dimension = ChangeSet.objects.filter(repository=repository, dimension=dimension)
    by_then = of_dimension.filter(committed_at__lte=instant)
    last = by_then.values("slot").annotate(last=Max("number")).values_list("slot", "last")
    wanted = Q(pk__in=[])
    for slot, number in last:
        wanted |= Q(slot=slot, number=number)
    found = of_dimension.filter(wanted).values_list("slot", "number", "id")
    return State(repository, dimension, {slot: SlotPosition(number, id.bytes[:MARK]) for slot, number, id in found})


def oldest_instant(repository: int, dimension: str) -> datetime | None:
    """Return the instant before which versions are missing, or before which there are none; None without versions."""
    _, horizon = current(repository, dimension)
    if horizon.at is not None:
        return horizon.at
    first = ChangeSet.objects.filter(repository=repository, dimension=dimension)
    oldest: datetime | None = first.aggregate(first=Min("committed_at"))["first"]
    return oldest


def _await_commits(repository: int, dimension: str, instant: datetime) -> None:
    """Wait until the transactions that may have been placed up to the `instant` have ended. Raises `Future`."""
    if connection.vendor != "postgresql":
        now = datetime.now(UTC)
        if instant > now:
            raise Future(now)
        if now - instant < _SQLITE_ENDING:
            with sqlite_timeout(_SQLITE_BARRIER), transaction.atomic():
                pass  # every transaction takes the only lock
        return
    with transaction.atomic():
        slots = Slot.objects.filter(repository=repository, dimension=dimension)
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (now,) = cursor.fetchone()
            if instant > now:
                raise Future(now)
            # Waits for those that insert a slot; those that advance one are awaited below.
            cursor.execute(
                "INSERT INTO changes_slot (repository_id, dimension, slot) SELECT %s, %s, generate_series(0, %s) "
                "ON CONFLICT DO NOTHING",
                [repository, dimension, SLOTS - 1],
            )
        # In one order, so that two who wait cannot wait for each other.
        list(slots.order_by("slot").select_for_update().values_list("slot"))


def move_horizon(repository: int, dimension: str, instant: datetime) -> None:
    """Record that states before the `instant` may be incomplete from now on."""
    numbers = state_at(repository, dimension, instant).numbers()
    slots = Slot.objects.filter(repository=repository, dimension=dimension).order_by("slot")
    with transaction.atomic():  # locked, so that the horizon never goes back
        for slot in slots.select_for_update():
            horizon = max(slot.horizon, numbers.get(slot.slot, 0))
            at = instant if slot.horizon_at is None else max(slot.horizon_at, instant)
            Slot.objects.filter(pk=slot.pk).update(horizon=horizon, horizon_at=at)


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
        yield ChangeSet.objects.filter(pk__in=keys)


def versions_at(versions: QuerySet[Any], state: State) -> QuerySet[Any]:
    """Return those of the `versions`, of one repository, that were the elements in its `state`."""
    return versions_before(versions, state.later())


def versions_before(versions: QuerySet[Any], later: QuerySet[ChangeSet]) -> QuerySet[Any]:
    """Return those of the `versions`, of one repository, that were the elements before the change sets `later`."""
    return _present(newest(_until(versions, later)))


def versions_of_differing(versions: QuerySet[Any], *states: State) -> list[QuerySet[Any]]:
    """Return, for each of two `states` of one dimension, the `versions` that were its elements; one query.

    They are those of at least the elements that may differ.
    """
    change_sets = _committed_between(*states).using(versions.db)
    few = _few(change_sets)
    if few is None:
        written = _written_in_many(versions, change_sets)
        return [_present(newest(_until(versions, state.later()), written)) for state in states]
    return [_present(_among(versions, Among("number", _of_few(versions, state, few)))) for state in states]


def _until(versions: QuerySet[Any], later: QuerySet[ChangeSet]) -> QuerySet[Any]:
    return versions.filter(~Exists(later.filter(pk=OuterRef("change_set"))))


def _present(versions: QuerySet[Any]) -> QuerySet[Any]:
    return versions.exclude(change="-")


def _of_few(versions: QuerySet[Any], state: State, change_sets: Collection[UUID]) -> RawSQL:
    """Return the query for the numbers that `newest` finds up to the `state`, of what the `change_sets` have written.

    Only its values are new: Django would take longer to compile it than the database to execute it.
    """
    model: Any = versions.model
    numbers = _numbers_of_few(model, tuple(sorted(state.places)))
    return numbers.bound(change_sets=array_of_uuids(change_sets), **state.given())


@lru_cache(maxsize=200)
def _numbers_of_few(model: Any, slots: Sequence[int]) -> CompiledQuery:
    versions = model._base_manager.filter(repository=Param("repository"))
    written = model._base_manager.filter(AmongGiven("change_set", Param("change_sets")))
    return CompiledQuery(_last_numbers(_until(versions, change_sets_after(slots)), written))


def versions_since(versions: QuerySet[Any], state: State) -> QuerySet[Any]:
    """Return the newest version of each element that was written after the `state`, deletions included.

    `versions` are those of its dimension.
    """
    return newest(versions_written_in(versions, state.later()))


def versions_written_in(versions: QuerySet[Any], change_sets: QuerySet[ChangeSet]) -> QuerySet[Any]:
    """Return the versions, of the model of the `versions`, that the `change_sets` have written; one query."""
    change_sets = change_sets.using(versions.db)
    few = _few(change_sets)
    # By their values PostgreSQL knows that they are not the few large ones of its statistics.
    return _written_in_many(versions, change_sets) if few is None else _among(versions, Q(change_set__in=few))


def _written_in_many(versions: QuerySet[Any], change_sets: QuerySet[ChangeSet]) -> QuerySet[Any]:
    return _among(versions, Among("change_set_id", change_sets.values("pk")))


def _few(change_sets: QuerySet[ChangeSet]) -> list[UUID] | None:
    """Return the ids of the `change_sets`, or None if they are many; one query."""
    found = list(change_sets.values_list("pk", flat=True)[: _FEW + 1])
    return found if len(found) <= _FEW else None


def newest(versions: QuerySet[Any], written: QuerySet[Any] | None = None) -> QuerySet[Any]:
    """Return the version with the highest number of each element of the `versions`, all of one repository.

    With `written`, only the elements that these other versions belong to. Each is then looked up by itself, because
    PostgreSQL would read all versions of a repository that its statistics do not know yet.
    """
    return _among(versions, Among("number", _last_numbers(versions, written)))


def _last_numbers(versions: QuerySet[Any], written: QuerySet[Any] | None) -> QuerySet[Any]:
    numbers: QuerySet[Any]
    if written is None:
        numbers = versions.order_by().values("element_id").annotate(last=Max("number")).values_list("last")
        return numbers
    of_element = versions.filter(element_id=OuterRef("element_id")).order_by("-number")
    numbers = written.order_by().values_list(Subquery(of_element.values("number")[:1])).distinct()
    return numbers


def _among(versions: QuerySet[Any], condition: Any) -> QuerySet[Any]:
    """Return the versions, of the model of the `versions`, with numbers or change sets of one repository.

    The repository is no condition of its own: SQLite would read all versions of it.
    """
    model: Any = versions.model
    found: QuerySet[Any] = model._base_manager.using(versions.db).filter(condition)
    return found


def _committed_between(one: State, other: State) -> QuerySet[ChangeSet]:
    """Return the change sets that one of the two states of the same dimension has, and the other has not."""
    after_one, after_other = one.condition(), other.condition()
    only_one = (after_one & ~after_other) | (~after_one & after_other)
    return ChangeSet.objects.filter(only_one, repository=one.repository, dimension=one.dimension)


def replica_has(state: State, using: str) -> bool:
    """Return whether the replica with the name `using` has all that had been committed in the `state`.

    It then has it in the transaction of this query, and in every later one. False for a database that is no replica.
    """
    with connections[using].cursor() as cursor:
        cursor.execute(_HAS, [[*state.places], [*state.numbers().values()], state.repository, state.dimension])
        (has,) = cursor.fetchone()
    return bool(has)


_HAS = (
    "SELECT pg_is_in_recovery() AND NOT EXISTS ("
    "SELECT FROM unnest(%s::smallint[], %s::bigint[]) AS wanted (slot, number) LEFT JOIN "
    "changes_slot AS found ON found.repository_id = %s AND found.dimension = %s AND found.slot = wanted.slot "
    "WHERE found.number IS NULL OR found.number < wanted.number)"
)
