"""Random histories of a dimension, with every state that it was in: the measure for what the service reports later."""

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from dimensions_site.changes.models import ChangeSet
from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.elements.reading.meaning import MAPS
from tests.factories import Person, content, read
from tests.random_elements import RandomElements

IDS = tuple(f"{number:02}" for number in range(14))
_TICK = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Moment:
    """A state that the dimension was in: the token and the list then, and the instant at which it was committed."""

    token: str
    committed_at: datetime
    elements: list[Any]
    json: bytes
    csv: bytes

    def values(self) -> dict[str, dict[str, Any]]:
        """What is compared of the elements, by id: the value of each path."""
        return {element["id"]: dict(_flat(element)) for element in self.elements}


@dataclass(frozen=True)
class History:
    """All states, the oldest first."""

    moments: list[Moment]

    def at(self, instant: datetime) -> Moment:
        """The state at an instant: all that had been committed by then."""
        return self.moments[bisect_right([one.committed_at for one in self.moments], instant) - 1]

    def asked(self, random: Random) -> tuple[str, Moment]:
        """A random token or instant, as a client writes it, and the state that it names."""
        if random.random() < 0.5:
            moment = random.choice(self.moments)
            return moment.token, moment
        first, last = self.moments[0].committed_at, self.moments[-1].committed_at
        between = first + timedelta(milliseconds=random.randint(0, (last - first) // _TICK))
        instant = random.choice((between, random.choice(self.moments).committed_at))
        return instant.astimezone(UTC).isoformat(timespec="milliseconds"), self.at(instant)


def random_history(alice: Person, dimension: str, steps: int, seed: int, db_id: str = "northwind") -> History:
    """Write at random so many times, in every way that REST has; return all states."""
    walk = Walk(alice, dimension, db_id, Random(seed), RandomElements(DIMENSIONS[dimension].wire, seed))
    moments = [walk.moment() for _ in range(steps) if walk.step()]
    time.sleep(0.002)  # the last instant is rounded up
    return History(moments)


@dataclass(frozen=True)
class Walk:
    """Random writes, one step after the other."""

    alice: Person
    dimension: str
    db_id: str
    random: Random
    source: RandomElements

    def path(self, rest: str = "elements") -> str:
        return self.alice.elements(self.dimension, rest, self.db_id)

    def step(self) -> bool:
        """Write once; return whether the dimension has had a change set by now."""
        living = [element["id"] for element in read(self.alice.get(self.path()))]
        self.random.choice((self.put, self.patch, self.save, self.delete))(living)
        return ChangeSet.objects.filter(repository__db_id=self.db_id, dimension=self.dimension).exists()

    def put(self, living: list[str]) -> None:
        id = self.random.choice(IDS)
        self.send("PUT", f"elements/{id}", self.whole(id))

    def patch(self, living: list[str]) -> None:
        for id in self.random.sample(living, min(1, len(living))):
            self.send("PATCH", f"elements/{id}", self.source.changes())

    def save(self, living: list[str]) -> None:
        chosen = self.random.sample(IDS, 5)
        patches = [{"key": {"id": id}, "data": self.source.changes()} for id in chosen[2:] if id in living]
        puts = [self.whole(id) for id in chosen if id not in {entry["key"]["id"] for entry in patches}]
        self.send("POST", "elements-bulk", {"put": puts, "patch": patches})

    def delete(self, living: list[str]) -> None:
        start(self.alice, self.random.sample(IDS, 2), self.dimension, self.db_id)
        work_now()

    def whole(self, id: str) -> dict[str, Any]:
        """A random element; the oid of a currency is left to the service, since it never changes."""
        return {name: value for name, value in {**self.source.one(), "id": id}.items() if name != "oid"}

    def send(self, method: str, rest: str, body: Any) -> None:
        response = self.alice.send(method, self.path(rest), body)
        text = content(response)
        assert response.status_code in (200, 201), text

    def moment(self) -> Moment:
        response = self.alice.get(self.path())
        json = content(response)
        csv = content(self.alice.get(self.path(), headers={"accept": "text/csv"}))
        sets = ChangeSet.objects.filter(repository__db_id=self.db_id, dimension=self.dimension)
        committed_at = sets.latest("committed_at").committed_at
        return Moment(response["Sync-Token"], committed_at, read(self.alice.get(self.path())), json, csv)


def differences(before: Moment, after: Moment) -> list[tuple[str, str, dict[str, tuple[Any, Any]]]]:
    """What `elements-compare` has to report of two states: id, action, and the values by path."""
    old, new = before.values(), after.values()
    found = []
    for id in sorted(old.keys() | new.keys()):
        one, other = old.get(id, {}), new.get(id, {})
        paths = {
            path: (one.get(path), other.get(path))
            for path in one.keys() | other.keys()
            if (path in one) != (path in other) or one[path] != other[path]
            # Of a map that gets its first entries, or loses its last ones, only these are reported.
            if not any(name.startswith(f"{path}.") for name in one.keys() | other.keys() if path in MAPS)
        }
        action = "created" if id not in old else "deleted" if id not in new else "changed"
        if paths or action != "changed":
            found.append((id, action, paths))
    return found


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in an element that are set, by path: entries of its maps, even if they are null, and empty maps."""
    if not isinstance(value, dict) or (path in MAPS and not value):
        if value is not None or (path.partition(".")[0] in MAPS and "." in path):
            yield path, value
        return
    for name, inner in value.items():
        if path or name not in ("id", "oid", "updateInfo", "description"):
            yield from _flat(inner, f"{path}.{name}" if path else name)
