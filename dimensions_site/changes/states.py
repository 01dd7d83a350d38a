"""States: exactly what had been committed to a dimension of a repository at one moment (contract I4, J1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import Max, Q, QuerySet

from dimensions_site.changes.models import SLOTS, ChangeSet, Slot
from dimensions_site.db.compiled import CompiledQuery, Param
from dimensions_site.db.transactions import sqlite_timeout

# How many seconds the answer about an instant waits on SQLite for a transaction that may be ending at that moment.
_SQLITE_BARRIER = 1.0
# How long, at most, the end of a transaction takes on SQLite, from its time to its commit.
_SQLITE_ENDING = timedelta(seconds=60)
# How many bytes of an id a place keeps.
MARK = 4
_PLACE = {"repository": Param("repository"), "dimension": Param("dimension")}
_OF_SLOTS = Slot.objects.filter(**_PLACE)
_SLOTS = CompiledQuery(_OF_SLOTS.values_list("slot", "number", "last", "horizon", "horizon_at"))
# In one order, so that two who wait cannot wait for each other.
_LOCKED_SLOTS = CompiledQuery(_OF_SLOTS.order_by("slot").select_for_update().values_list("slot"))
_CHANGE_SETS = ChangeSet.objects.filter(**_PLACE)
_FIRST = CompiledQuery(_CHANGE_SETS.order_by("committed_at").values_list("committed_at")[:1], keeps_plan=False)
_LAST_UNTIL = CompiledQuery(
    _CHANGE_SETS.filter(committed_at__lte=Param("instant")).values_list("slot").annotate(last=Max("number")),
    keeps_plan=False,
)


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
        """Return the number of the last change set of each slot; 0 before its first."""
        return dict.fromkeys(range(SLOTS), 0) | {slot: place.number for slot, place in self.places.items()}

    def later(self) -> QuerySet[ChangeSet]:
        return later_change_sets(self.numbers(), self.repository, self.dimension)

    def given(self, prefix: str = "") -> dict[str, Any]:
        given = {"repository": self.repository, "dimension": self.dimension, **_given(self.numbers())}
        return {f"{prefix}{name}": value for name, value in given.items()}


def in_slots(condition: Callable[[int], Q]) -> Q:
    """Return the `condition` of each slot for its change sets: databases then read one range of the index for each."""
    return reduce(or_, (Q(slot=slot) & condition(slot) for slot in range(SLOTS)))


def later_change_sets(numbers: Mapping[int, Any], repository: Any, dimension: Any) -> QuerySet[ChangeSet]:
    """Return the change sets of a dimension that come after these `numbers`, one for each slot."""
    later = in_slots(lambda slot: Q(number__gt=numbers[slot]))
    return ChangeSet.objects.filter(later, repository=repository, dimension=dimension)


def numbers_given(prefix: str = "") -> dict[int, Param]:
    """Return the bind parameters with the numbers of a state by slot; `State.given` has their values."""
    return {slot: Param(f"{prefix}number_{slot}") for slot in range(SLOTS)}


def _given(numbers: Mapping[int, int]) -> dict[str, Any]:
    return {f"number_{slot}": numbers.get(slot, 0) for slot in range(SLOTS)}


@dataclass(frozen=True)
class Horizon:
    """What retention may have deleted: what was replaced up to these numbers by slot, and up to this instant."""

    numbers: Mapping[int, int]
    at: datetime | None


def current_state(repository: int, dimension: str, *, using: str = DEFAULT_DB_ALIAS) -> tuple[State, Horizon]:
    """Return the state of this moment, and the horizon; one query of the database with the name `using`."""
    found = _SLOTS.all(using=using, repository=repository, dimension=dimension)
    places = {slot: SlotPosition(number, last.bytes[:MARK]) for slot, number, last, _, _ in found if last is not None}
    instants = [at for *_, at in found if at is not None]
    numbers = {slot: number for slot, _, _, number, _ in found if number}
    return State(repository, dimension, places), Horizon(numbers, max(instants, default=None))


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
    places = _places(state.repository, state.dimension, state.numbers(), using=using)
    return all(places.get(slot) == place for slot, place in differing.items())


def _places(
    repository: int, dimension: str, numbers: Mapping[int, int], *, using: str = DEFAULT_DB_ALIAS
) -> dict[int, SlotPosition]:
    """Return the position of the change set that has each of the `numbers`, by slot, if there is one; one query."""
    found = _NUMBERED.all(using=using, repository=repository, dimension=dimension, **_given(numbers))
    return {slot: SlotPosition(number, id.bytes[:MARK]) for slot, number, id in found}


_NUMBERED = CompiledQuery(
    _CHANGE_SETS.filter(in_slots(lambda slot: Q(number=numbers_given()[slot]))).values_list("slot", "number", "id"),
    keeps_plan=False,
)


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
    at = connection.ops.adapt_datetimefield_value(instant)
    last = _LAST_UNTIL.all(repository=repository, dimension=dimension, instant=at)
    return State(repository, dimension, _places(repository, dimension, {row[0]: row[1] for row in last}))


def oldest_instant(repository: int, dimension: str) -> datetime | None:
    """Return the instant before which versions are missing, or before which there are none; None without versions."""
    _, horizon = current_state(repository, dimension)
    if horizon.at is not None:
        return horizon.at
    first = _FIRST.first(repository=repository, dimension=dimension)
    return None if first is None else first[0]


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
        _LOCKED_SLOTS.all(repository=repository, dimension=dimension)


def move_horizon(repository: int, dimension: str, instant: datetime) -> None:
    """Record that states before the `instant` may be incomplete from now on."""
    numbers = state_at(repository, dimension, instant).numbers()
    slots = Slot.objects.filter(repository=repository, dimension=dimension).order_by("slot")
    with transaction.atomic():  # locked, so that the horizon never goes back
        for slot in slots.select_for_update():
            horizon = max(slot.horizon, numbers.get(slot.slot, 0))
            at = instant if slot.horizon_at is None else max(slot.horizon_at, instant)
            Slot.objects.filter(pk=slot.pk).update(horizon=horizon, horizon_at=at)


def replica_has(state: State, using: str) -> bool:
    """Return whether the replica with the name `using` has all that had been committed in the `state`.

    It then has it in the transaction of this query, and in every later one. False for a database that is no replica.
    """
    with connections[using].cursor() as cursor:
        cursor.execute(
            _HAS,
            [[*state.places], [place.number for place in state.places.values()], state.repository, state.dimension],
        )
        (has,) = cursor.fetchone()
    return bool(has)


_HAS = (
    "SELECT pg_is_in_recovery() AND NOT EXISTS ("
    "SELECT FROM unnest(%s::smallint[], %s::bigint[]) AS wanted (slot, number) LEFT JOIN "
    "changes_slot AS found ON found.repository_id = %s AND found.dimension = %s AND found.slot = wanted.slot "
    "WHERE found.number IS NULL OR found.number < wanted.number)"
)
