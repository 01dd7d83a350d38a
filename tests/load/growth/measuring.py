"""The results of one stage."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from tests.load.bench.loading import tidy
from tests.load.growth import cleaning, following, reading, writing
from tests.load.growth.checking import check
from tests.load.growth.loading import Rig, grow
from tests.load.growth.rows import BY_KEY
from tests.load.growth.stages import Stage

# The results of each row; of what can be done only once at a stage it is one.
Measurements = Mapping[str, list[float]]


def measured(rig: Rig, stage: Stage, repeats: int, seconds: float, report: Callable[[str], None]) -> Measurements:
    """Bring the database to that stage, see that the answers are right, and measure each row.

    Quick rows repeat for that many `seconds`, and all but sizes, memory, deletion and cleaning are repeated.
    """
    measurements: dict[str, list[float]] = defaultdict(list)
    grow(rig, stage)
    report(f"{stage.total:9,} accounts are there")
    report(f"{stage.total:9,} accounts  {check(rig, stage)} answers are right")
    for key, measurement in _measurements(rig, stage, repeats, seconds):
        measurements[key].append(measurement)
        report(f"{stage.total:9,} accounts  {key:16} {measurement:12,.2f} {BY_KEY[key].unit}")
    # Dead rows make room for the accounts of the next stage.
    tidy(rig.database)
    return {key: measurements[key] for key in BY_KEY}


def _measurements(rig: Rig, stage: Stage, repeats: int, seconds: float) -> Iterator[tuple[str, float]]:
    """Writes are measured after reads, so that each stage is read as it was filled."""
    yield from writing.sizes(rig, stage).items()
    yield "memory-list", reading.memory_of_list(rig)
    for _ in range(repeats):
        yield from reading.read(rig, stage, seconds)
    for _ in range(repeats):
        yield from following.followed(rig, stage, seconds)
    for _ in range(repeats):
        yield from writing.saved(rig, stage, seconds)
    yield from writing.deleted(rig, stage)
    yield from cleaning.cleaned(rig, stage).items()
