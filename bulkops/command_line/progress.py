"""The progress of a command: a bar on a terminal, otherwise a plain line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT
from traceback import clear_frames
from typing import TypeAlias

from django.core.management.base import CommandError
from tqdm import tqdm


@contextmanager
def interruptible(message: str) -> Iterator[None]:
    """Let Ctrl-C end the command with `message` and the usual exit status. Raises CommandError."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        # Frames hold cursors, which would fail if they were closed after their connection.
        clear_frames(interrupt.__traceback__)
        raise CommandError(message, returncode=128 + SIGINT) from None


# Seconds between two plain lines; shorter commands print none.
_PAUSE = 5.0
_BAR = "{desc} {percentage:3.0f}% |{bar}| {elapsed}, {remaining} left{postfix}"


# Takes the name of the phase, the completed share (0 to 1), and the number of rows, 0 if it is not known.
ShowProgress: TypeAlias = Callable[[str, float, int], None]


@contextmanager
def show_progress() -> Iterator[ShowProgress]:
    """Show progress on standard error while the block runs."""
    shown, began = "", time.monotonic()

    def print_line(phase: str, share: float, rows: int) -> None:
        nonlocal began
        if time.monotonic() - began >= _PAUSE:
            began = time.monotonic()
            count = f", {rows:,} rows" if rows else ""
            sys.stderr.write(f"{phase.capitalize()}: {share:.0%}{count}\n")
            sys.stderr.flush()

    if not sys.stderr.isatty():
        yield print_line
        return
    # Progress is reported a few times a second at most, and always shown.
    with tqdm(total=1.0, bar_format=_BAR, leave=False, file=sys.stderr, mininterval=0, miniters=0) as bar:

        def move_bar(phase: str, share: float, rows: int) -> None:
            nonlocal shown, began
            if phase != shown:
                shown, began = phase, time.monotonic()
                bar.set_description_str(phase.capitalize(), refresh=False)
                bar.set_postfix_str("", refresh=False)
                bar.reset(1.0)
            if rows:
                rate = rows / max(time.monotonic() - began, 0.001)
                bar.set_postfix_str(f"{rate:,.0f} rows a second", refresh=False)
            bar.update(share - bar.n)

        yield move_bar
