"""What is observed of the running service: its release, the operation in progress, and the log lines that name both.

A request, a job of the worker or a command is observed from its beginning to its end, whichever module logs: who
performs it, on what, and with which result so far. No logged text can end its line: JSON escapes line breaks, and
`_on_one_line` does so for the console. See design/observability.md.
"""

import re
import subprocess
import time
import tomllib
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from textwrap import indent
from typing import Any, TextIO, TypeVar

import structlog
from django.conf import settings
from django.db import transaction

T = TypeVar("T")

_KEY = "observed"


class Observed:
    """An operation in progress; `names` are the log fields that identify it.

    `code` is the reason of a refusal, in UPPER_SNAKE (contract B1).
    """

    def __init__(self, **names: object) -> None:
        self._began = time.perf_counter()
        self._names = names
        self.code: str | None = None
        self.rows_read = 0
        self.rows_written = 0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def names(self) -> dict[str, object]:
        """Return who performs it, and on what; None for what is unknown or does not apply."""
        return self._names

    def name(self, **names: object) -> None:
        self._names |= names

    def wrote(self, rows: int) -> None:
        """Add the number of rows written and committed."""
        self.rows_written += rows

    def fields(self) -> dict[str, object]:
        """Return the log fields; the duration is in milliseconds."""
        counts = {"rows_read": self.rows_read or None, "rows_written": self.rows_written or None}
        known = {name: value for name, value in (self.names() | counts).items() if value is not None}
        return {**known, "duration_ms": round(self.seconds * 1000, 1)}


def begin_observation(observed: Observed) -> None:
    """Add the fields of `observed` to every log line until the context is cleared."""
    structlog.contextvars.bind_contextvars(**{_KEY: observed})


@contextmanager
def observing(observed: Observed) -> Iterator[None]:
    """Add the fields of `observed` to every log line of the block."""
    with structlog.contextvars.bound_contextvars(**{_KEY: observed}):
        yield


def current_observation() -> Observed | None:
    """Return the operation in progress, if it is observed."""
    found: Observed | None = structlog.contextvars.get_contextvars().get(_KEY)
    return found


def add_operation(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add the operation to the log event; a structlog processor, after that of the context."""
    observed: Observed | None = event.pop(_KEY, None)
    return event if observed is None else {**observed.fields(), **event}


def count_rows(rows: Iterable[T]) -> Iterator[T]:
    """Yield the rows, each counted as read when it is taken."""
    # A list is read while it is sent, when the thread may work on something else.
    observed = current_observation() or Observed()
    for row in rows:
        observed.rows_read += 1
        yield row


def count_read(rows: int) -> None:
    """Count rows as read."""
    if observed := current_observation():
        observed.rows_read += rows


def count_written(rows: int) -> None:
    """Count rows as written once the transaction commits: a dry run and a failed save write none."""
    if observed := current_observation():
        transaction.on_commit(lambda: observed.wrote(rows))


PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    add_operation,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
]

# Characters that could end a line or control a terminal.
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_OF_LINES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def _on_one_line(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _escaped(value, _CONTROL_CHARACTER) if isinstance(value, str) else value for name, value in event.items()
    }


def _write_indented(stream: TextIO, exc_info: Any) -> None:
    """Indent a stack trace, which may quote a request, so that none of its lines looks like a log line."""
    stream.write("\n" + indent(_escaped("".join(traceback.format_exception(*exc_info)), _OF_LINES).rstrip(), "    "))


def _escaped(text: str, characters: re.Pattern[str]) -> str:
    return characters.sub(lambda found: ascii(found[0])[1:-1], text)


# LOG_FORMAT -> the last processors: `json` writes one object per line, `console` readable text.
RENDERERS: dict[str, list[Any]] = {
    "json": [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ],
    "console": [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        _on_one_line,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=_write_indented),
    ],
}


@cache
def running_release() -> dict[str, str | None]:
    """Return the `version` of the project, and its `commit`: the setting, else that of a git checkout, else None.

    It is shown at `/version`, on pages, in logs and in metrics (contract M6).
    """
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"version": project["version"], "commit": settings.COMMIT or _checked_out()}


def _checked_out() -> str | None:
    if not (settings.BASE_DIR / ".git").exists():
        return None
    try:
        command = ["git", "rev-parse", "HEAD"]
        found = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
