"""The results of one stage."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from tests.load.bench.loading import tidy
from tests.load.growth import cleaning, following, reading, writing
from tests.load.growth.checking import check
from tests.load.growth.loading import Ground, grow
from tests.load.growth.rows import BY_KEY
from tests.load.growth.stages import Stage

# The results of each row; of what can be done only once at a stage it is one.
Measurements = Mapping[str, list[float]]


def measured(ground: Ground, stage: Stage, repeats: int, seconds: float, report: Callable[[str], None]) -> Measurements:
    """Bring the database to that stage, see that the answers are right, and measure each row.

    Quick rows repeat for that many `seconds`, and all but sizes, memory, deletion and cleaning are repeated.
    """
    measurements: dict[str, list[float]] = defaultdict(list)
    grow(ground, stage)
    report(f"{stage.total:9,} accounts are there")
    report(f"{stage.total:9,} accounts  {check(ground, stage)} answers are right")
    for key, measurement in _measurements(ground, stage, repeats, seconds):
        measurements[key].append(measurement)
        report(f"{stage.total:9,} accounts  {key:16} {measurement:12,.2f} {BY_KEY[key].unit}")
    # Dead rows make room for the accounts of the next stage.
    tidy(ground.database)
    return {key: measurements[key] for key in BY_KEY}


def _measurements(ground: Ground, stage: Stage, repeats: int, seconds: float) -> Iterator[tuple[str, float]]:
    """Writes are measured after reads, so that each stage is read as it was filled."""
    yield from writing.sizes(ground, stage).items()
    yield "memory-list", reading.memory_of_list(ground)
    for _ in range(repeats):
        yield from reading.read(ground, stage, seconds)
    for _ in range(repeats):
        yield from following.followed(ground, stage, seconds)
    for _ in range(repeats):
        yield from writing.saved(ground, stage, seconds)
    yield from writing.deleted(ground, stage)
    yield from cleaning.cleaned(ground, stage).items()
