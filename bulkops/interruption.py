"""Ctrl-C in a command: one sentence, and nothing that goes on afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT
from traceback import clear_frames

from django.core.management.base import CommandError


@contextmanager
def interruptible(told: str) -> Iterator[None]:
    """Let Ctrl-C end the command with the sentence `told`, and with the status that shells give for it.

    Raises CommandError.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        # The frames hold cursors, which would complain when they are closed after their connection.
        clear_frames(interrupt.__traceback__)
        raise CommandError(told, returncode=128 + SIGINT) from None
