"""Ctrl-C ends a command with one sentence, and none of its work continues afterwards."""

from collections.abc import Iterator

import pytest
from django.core.management.base import CommandError

from bulkops.command_line.progress import interruptible


def test_what_was_open_is_closed_before_the_command_ends():
    """A cursor that is closed after its connection prints a trace; the sentence would not be the last word."""
    closed: list[str] = []

    def cursor() -> Iterator[int]:
        try:
            yield 1
        finally:
            closed.append("cursor")

    def work() -> None:
        rows = cursor()
        next(rows)
        raise KeyboardInterrupt

    with pytest.raises(CommandError, match=r"^Stopped$") as stopped, interruptible("Stopped"):
        work()
    assert closed == ["cursor"]
    assert stopped.value.returncode == 130
