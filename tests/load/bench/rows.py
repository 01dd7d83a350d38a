"""What is measured, in which unit, and what the service has to reach."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from statistics import median

# The medians of a row by contestant: floor, service and plain.
Medians = Mapping[str, float]


class Unit(Enum):
    """What a measurement counts, and whether more of it is better."""

    ELEMENTS = "elements/s", True
    REQUESTS = "requests/s", True
    SECONDS = "s", False
    MEGABYTES = "MB", False
    BODIES = "× body", False

    def __init__(self, text: str, more_is_better: bool) -> None:
        self.text = text
        self.more_is_better = more_is_better


@dataclass(frozen=True)
class Row:
    """One line of the table; a missing target means that there is none.

    `of_floor` and `of_plain` are what part of their speed the service has to reach, `of_own` the part of its own
    speed at another row; the speed of seconds is their inverse. `at_most` is the largest result; of seconds it is that
    many times the floor's.
    """

    key: str
    title: str
    unit: Unit
    of_floor: float | None = None
    of_plain: float | None = None
    of_own: tuple[str, float] | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Verdict:
    """What was reached, what had to be, and whether it was."""

    reached: float
    target: float
    met: bool


ROWS = (
    Row("list", "list of 20,000, streamed", Unit.ELEMENTS, of_floor=0.50, of_plain=10),
    Row("csv", "the same as CSV", Unit.ELEMENTS, of_floor=0.35),
    Row("ndjson", "the same as NDJSON", Unit.ELEMENTS, of_floor=0.35),
    Row("read-one", "read one, 8 keep-alive connections", Unit.REQUESTS, of_floor=0.40, of_plain=4),
    Row("page-offset", "page of 100 at offset 10,000", Unit.REQUESTS, of_floor=0.45, of_plain=10),
    Row("page-after", "page of 100 after the last id", Unit.REQUESTS, of_floor=0.50),
    Row("count", "count with an enum filter", Unit.REQUESTS, of_floor=0.60, of_plain=1.5),
    Row("containment", "containment in one language, 20 hits", Unit.REQUESTS, of_floor=1.5, of_plain=3),
    Row("fetch", "fetch of 3 properties of 20,000", Unit.ELEMENTS, of_own=("list", 4)),
    Row("patch", "patch one field of one account", Unit.REQUESTS, of_floor=0.30, of_plain=2),
    Row("poll", "poll of the feed, nothing changed, 8 connections", Unit.REQUESTS, of_own=("read-one", 0.5)),
    Row("compare", "comparison of 100 changes, 8 connections", Unit.REQUESTS, of_own=("poll", 0.1)),
    Row("changes", "feed of 10,000 changes", Unit.ELEMENTS, of_own=("list", 0.5)),
    Row("as-of", "list as of a moment, 1 % changed since", Unit.ELEMENTS, of_own=("list", 0.5)),
    Row("as-of-10", "list as of a moment, all changed ten times", Unit.ELEMENTS, of_own=("list", 0.15)),
    Row("compare-two", "comparison of two repositories of 20,000", Unit.ELEMENTS, of_own=("list", 1 / 3)),
    Row("uses", "uses of one, 8 connections", Unit.REQUESTS, of_own=("read-one", 1 / 3)),
    Row("bulk-post-1000", "bulk post of 1,000", Unit.ELEMENTS, of_floor=0.40, of_plain=5),
    Row("bulk-put-1000", "bulk put of 1,000", Unit.ELEMENTS, of_floor=0.40, of_plain=20),
    Row("merge-1000", "bulk merge of 1,000", Unit.ELEMENTS, of_own=("bulk-put-1000", 0.9)),
    Row("bulk-post-10000", "bulk post of 10,000", Unit.ELEMENTS, of_floor=0.55, of_plain=5),
    Row("bulk-put-10000", "bulk put of 10,000", Unit.ELEMENTS, of_floor=0.45, of_plain=20),
    Row("merge-10000", "bulk merge of 10,000", Unit.ELEMENTS, of_own=("bulk-put-10000", 0.9)),
    Row("dry-put", "dry run of a bulk put of 20,000, nothing changed", Unit.ELEMENTS),
    Row("plan", "plan of a snapshot of 20,000, nothing changed", Unit.ELEMENTS, of_own=("dry-put", 1 / 1.1)),
    Row("apply", "application of a plan with 10,000 changes", Unit.ELEMENTS, of_own=("bulk-put-10000", 1 / 1.3)),
    Row("deletion", "asynchronous deletion of 10,000 until COMPLETED is seen", Unit.SECONDS, at_most=5),
    Row("deletion-refuse", "the same, of those not in use", Unit.SECONDS, of_own=("deletion", 1 / 1.5)),
    Row("memory-list", "memory above idle, list of 20,000", Unit.MEGABYTES, at_most=30),
    Row("memory-bulk", "memory above idle, bulk post of 10,000", Unit.BODIES, at_most=3),
)
BY_KEY = {row.key: row for row in ROWS}
# The time from the request for a deletion to its end when there is nothing to delete; shown beside the deletion.
WAKE_UP = "wake_up"


def medians(samples: Mapping[str, list[float]]) -> Medians:
    """The median result of each contestant."""
    return {name: median(measurements) for name, measurements in samples.items()}


def against_floor(row: Row, measurements: Medians, other: Medians | None) -> Verdict | None:
    """Whether the service is near enough to the limit; `other` are the medians of the row in `of_own`."""
    if "service" not in measurements:
        return None
    service = _without_wake_up(measurements)
    if row.of_floor is not None:
        return _at_least(service / measurements["floor"], row.of_floor)
    if row.of_own is not None:
        if other is None:
            return None
        ratio = service / _without_wake_up(other)
        return _at_least(ratio if row.unit.more_is_better else 1 / ratio, row.of_own[1])
    if row.at_most is None:
        return None
    reached = service / measurements["floor"] if row.unit is Unit.SECONDS else service
    return Verdict(reached, row.at_most, reached <= row.at_most)


def against_plain(row: Row, measurements: Medians) -> Verdict | None:
    """Whether the service is far enough from what a team writes in a day; nothing when that is no target."""
    if row.of_plain is None or "service" not in measurements:
        return None
    return _at_least(measurements["service"] / measurements["plain"], row.of_plain)


def _without_wake_up(measurements: Medians) -> float:
    return measurements["service"] - measurements.get(WAKE_UP, 0)


def _at_least(reached: float, target: float) -> Verdict:
    return Verdict(reached, target, reached >= target)
