"""How long requests took, and which failed."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Measurements:
    """The seconds of each request by its kind, answers 503, and what must never occur."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    # How often a write was answered 503, because others held the database for too long.
    refused: int = 0
    errors: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, parts: Iterable["Measurements"]) -> "Measurements":
        """The sum of the results of several clients."""
        whole = cls()
        for part in parts:
            for kind, seconds in part.seconds.items():
                whole.seconds[kind] += seconds
            whole.refused += part.refused
            whole.errors += part.errors
        return whole

    @property
    def requests(self) -> int:
        return sum(map(len, self.seconds.values()))

    def table(self) -> str:
        """Requests, median and 99th percentile of each kind, in milliseconds."""
        lines = [f"  {'':12}{'requests':>10}{'median':>12}{'99th':>12}{'longest':>12}"]
        for kind, seconds in sorted(self.seconds.items()):
            ordered = sorted(seconds)
            slow = ordered[int(len(ordered) * 0.99)]
            lines.append(
                f"  {kind:12}{len(ordered):10,}"
                + "".join(_milliseconds(s) for s in (median(ordered), slow, ordered[-1]))
            )
        return "\n".join(lines)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:9.1f} ms"
