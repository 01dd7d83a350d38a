"""How many accounts there are at each stage, and in which repositories."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.load.bench.addresses import MEASURED

# All results are of this repository; the others are there because the tables are shared.
LARGE = MEASURED
OTHERS = tuple(f"tenant{number:02}" for number in range(1, 20))


@dataclass(frozen=True)
class Stage:
    """`total` accounts, `large` of them in the one repository; `bulk` are saved at a time, at every stage as many."""

    total: int
    large: int
    bulk: int

    @property
    def deleted(self) -> int:
        """How many accounts of the large repository are deleted in the background."""
        return self.large // 8

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Each repository with its number of accounts."""
        yield LARGE, self.large
        each, more = divmod(self.total - self.large, len(OTHERS))
        for number, tenant in enumerate(OTHERS):
            yield tenant, each + (number < more)


STAGES = (Stage(20_000, 8_000, 10_000), Stage(100_000, 40_000, 10_000), Stage(1_000_000, 400_000, 10_000))
