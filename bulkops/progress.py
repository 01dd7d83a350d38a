"""How far a command is: a bar on a terminal, else a plain line now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Never, Protocol

from tqdm import tqdm

# Seconds between two plain lines; what takes less time tells nothing.
_PAUSE = 5.0
_BAR = "{desc} {percentage:3.0f}% |{bar}| {elapsed}, {remaining} left{postfix}"


class Progress(Protocol):
    """Is told what is being done, which share of it is done (0 to 1), and how many rows, if they are counted."""

    def __call__(self, phase: str, share: float, rows: int = 0) -> None:
        """Show it."""


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show progress on standard error while the block runs."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    # Callers tell their progress some times a second at most, and each time it is shown.
    with tqdm(total=1.0, bar_format=_BAR, leave=False, file=sys.stderr, mininterval=0, miniters=0) as bar:
        yield _Bar(bar)


class _Bar:
    def __init__(self, bar: "tqdm[Never]") -> None:
        self._bar = bar
        self._phase = ""
        self._began = 0.0

    def __call__(self, phase: str, share: float, rows: int = 0) -> None:
        if phase != self._phase:
            self._phase = phase
            self._began = time.monotonic()
            self._bar.set_description_str(phase.capitalize(), refresh=False)
            self._bar.set_postfix_str("", refresh=False)
            self._bar.reset(1.0)
        if rows:
            rate = rows / max(time.monotonic() - self._began, 0.001)
            self._bar.set_postfix_str(f"{rate:,.0f} rows a second", refresh=False)
        self._bar.update(share - self._bar.n)


class _Lines:
    def __init__(self) -> None:
        self._told = time.monotonic()

    def __call__(self, phase: str, share: float, rows: int = 0) -> None:
        if time.monotonic() - self._told >= _PAUSE:
            self._told = time.monotonic()
            count = f", {rows:,} rows" if rows else ""
            sys.stderr.write(f"{phase.capitalize()}: {share:.0%}{count}\n")
            sys.stderr.flush()
