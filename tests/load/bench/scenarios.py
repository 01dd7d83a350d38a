"""How each row is measured."""

import functools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean

import psycopg

from tests.load.bench import deletion
from tests.load.bench.addresses import MEASURED, PATCHED, SAVED, Name
from tests.load.bench.bodies import accounts, bulk, identifier
from tests.load.bench.contestants import Contestant
from tests.load.bench.following import ROWS as FOLLOWED
from tests.load.bench.following import followed
from tests.load.bench.load import drain, rate
from tests.load.bench.loading import Ready, empty, tidy
from tests.load.bench.planning import ROWS as PLANNED
from tests.load.bench.planning import planned
from tests.load.bench.processors import Meter
from tests.load.memory import SINGLE, Peak
from tests.services.service import Service

# The results by row and contestant.
Measurements = Mapping[tuple[str, str], float]
_CONNECTIONS = 8
# Which server process gets which connection is random, so several are made each time.
_TIMES = 4
_DIFFERENT = 2_000


@dataclass(frozen=True)
class Rig:
    """What measures: the filled database, the number of accounts in each repository, and for how many seconds."""

    ready: Ready
    database: "psycopg.Connection"
    folder: Path
    count: int
    seconds: float


@dataclass(frozen=True)
class Scenario:
    """Measures some rows of one contestant; `tidies` when it has left much that is dead in the tables."""

    rows: Sequence[str]
    measure: Callable[[Rig, Contestant], Measurements]
    names: Sequence[Name] = tuple(Name)
    tidies: bool = False


def streaming(row: str) -> Scenario:
    """Everything in the repository, read to its end."""

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        return _drained(row, rig, contestant, contestant.reading(row, last=True), rig.count)

    is_everybodys = row not in ("csv", "ndjson")
    return Scenario([row], measure, tuple(Name) if is_everybodys else (Name.FLOOR, Name.SERVICE))


def _drained(row: str, rig: Rig, contestant: Contestant, sent: bytes, count: int) -> Measurements:
    with Meter(contestant.pid, rig.database) as spent:
        seconds = drain(contestant.port, sent)
    return {(row, contestant.name): count / seconds, **_processors(row, contestant, spent, count)}


def repeating(
    row: str,
    what: str,
    *,
    connections: int = 1,
    ids: bool = False,
    offset: int = 0,
    names: Sequence[Name] = tuple(Name),
) -> Scenario:
    """One request again and again, or one for each of some ids drawn from a seed."""

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        drawn = Random(_DIFFERENT).choices(range(rig.count), k=_DIFFERENT if ids else 1)
        requests = [contestant.reading(what, id=identifier(number), offset=offset) for number in drawn]
        return _reached(row, rig, contestant, requests, connections)

    return Scenario([row], measure, names)


def _reached(
    row: str, rig: Rig, contestant: Contestant, requests: Sequence[bytes], connections: int = 1
) -> Measurements:
    spent = Meter(contestant.pid, rig.database)
    rates = [
        rate(contestant.port, requests, connections=connections, seconds=rig.seconds, during=spent)
        for _ in range(1 if connections == 1 else _TIMES)
    ]
    count = sum(each.count for each in rates)
    return {
        (row, contestant.name): fmean(each.per_second for each in rates),
        **_processors(row, contestant, spent, count),
        (row, f"{contestant.name}_client"): sum(each.client for each in rates) / count * 1e6,
    }


def _processors(row: str, contestant: Contestant, spent: Meter, count: int) -> Measurements:
    """Microseconds of a processor for each of that many answers or elements."""
    return {
        (row, f"{contestant.name}_web"): spent.web / count * 1e6,
        (row, f"{contestant.name}_database"): spent.database / count * 1e6,
    }


def _patch(rig: Rig, contestant: Contestant) -> Measurements:
    drawn = Random(_DIFFERENT).choices(range(rig.count), k=_DIFFERENT)
    requests = [
        contestant.patching(
            PATCHED,
            identifier(number),
            json.dumps({"documentationLink": f"https://example.com/{time.time_ns()}"}).encode(),
        )
        for number in drawn
    ]
    return _reached("patch", rig, contestant, requests)


def saving(count: int) -> Scenario:
    """That many new accounts, then the same ones changed, and by the service merged into what they were."""
    post, put, merge = f"bulk-post-{count}", f"bulk-put-{count}", f"merge-{count}"

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        bodies = {post: _body("post", count), put: _body("put", count)}
        if contestant.name == Name.SERVICE:
            bodies[merge] = _body("merge", count)
        measurements: dict[tuple[str, str], float] = {}
        for row, body in bodies.items():
            measurements |= _drained(row, rig, contestant, contestant.saving(SAVED, body), count)
        return measurements

    return Scenario([post, put, merge], measure, tidies=True)


def deleting(count: int) -> Scenario:
    """That many accounts deleted in the background, which is asked to keep those in use or not; of the floor by two
    statements."""
    rows = {"deletion": "ignore", "deletion-refuse": "refuse"}

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        if contestant.name == Name.FLOOR:
            return {("deletion", contestant.name): deletion.bare(rig.database, MEASURED, count)}
        measurements: dict[tuple[str, str], float] = {}
        for row, references in rows.items():
            tidy(rig.database)
            contestant.call("POST", contestant.addresses.of("bulk", SAVED), _body("post", count))
            took = deletion.asynchronous(contestant, rig.ready.url, rig.folder, SAVED, count, references)
            measurements |= {(row, contestant.name): took.seconds, (row, "wake_up"): took.wake_up}
        return measurements

    return Scenario([*rows], measure, (Name.FLOOR, Name.SERVICE), tidies=True)


def following(count: int) -> Scenario:
    """What changed, the chart as it was, and comparisons, in a repository with that many accounts."""

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        found = followed(contestant, count, _CONNECTIONS, rig.seconds)
        return {(row, contestant.name): measurement for row, measurement in found}

    return Scenario(FOLLOWED, measure, (Name.SERVICE,), tidies=True)


def planning(count: int) -> Scenario:
    """Plans of that many accounts, of which none changes, and of half as many changes, which are applied."""

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        return {(row, contestant.name): measurement for row, measurement in planned(contestant, count)}

    return Scenario(PLANNED, measure, (Name.SERVICE,), tidies=True)


def _memory_of_list(rig: Rig, contestant: Contestant) -> Measurements:
    with rig.ready.alone(contestant.name, rig.folder, **SINGLE) as alone:
        alone.answer("page", offset=0)  # so that what is loaded once counts as idle
        peak = _peak(alone)
        drain(alone.port, alone.reading("list", last=True))
        return {("memory-list", contestant.name): peak.above_idle() * 1024 / 1e6}


def remembering(count: int) -> Scenario:
    """The memory that a bulk save of that many takes."""

    def measure(rig: Rig, contestant: Contestant) -> Measurements:
        with rig.ready.alone(contestant.name, rig.folder, **SINGLE) as alone:
            alone.call("POST", alone.addresses.of("bulk", SAVED), bulk("put", accounts(100, first=10 * count)))
            peak = _peak(alone)
            body = _body("post", count)
            drain(alone.port, alone.saving(SAVED, body))
            return {("memory-bulk", contestant.name): peak.above_idle() * 1024 / len(body)}

    return Scenario(["memory-bulk"], measure, tidies=True)


def _peak(alone: Contestant) -> Peak:
    return Peak(Service(alone.port, alone.pid, "", Path()))


@functools.cache
def _body(operation: str, count: int) -> bytes:
    return bulk(operation, accounts(count, changed=operation == "put"))


def scenarios(count: int) -> Sequence[Scenario]:
    """All of them, in the order of the table; large bulk saves and pages reach to half of that many accounts."""
    half = count // 2
    return (
        *(streaming(row) for row in ("list", "csv", "ndjson")),
        repeating("read-one", "one", connections=_CONNECTIONS, ids=True),
        repeating("page-offset", "page", offset=half),
        repeating("page-after", "after", ids=True),
        repeating("count", "count"),
        repeating("containment", "containing"),
        streaming("fetch"),
        Scenario(["patch"], _patch, tidies=True),
        following(count),
        repeating("uses", "uses", connections=_CONNECTIONS, ids=True, names=(Name.SERVICE,)),
        saving(count // 20),
        saving(half),
        planning(count),
        deleting(half),
        Scenario(["memory-list"], _memory_of_list),
        remembering(half),
    )


def measured(scenario: Scenario, rig: Rig, contestants: Mapping[Name, Contestant], turn: int) -> Measurements:
    """Measure the scenario once for each contestant, in another order each turn."""
    measurements: dict[tuple[str, str], float] = {}
    first = turn % len(scenario.names)
    for name in (*scenario.names[first:], *scenario.names[:first]):
        measurements |= scenario.measure(rig, contestants[name])
    if scenario.tidies:
        empty(rig.database)
        tidy(rig.database)
    return measurements
