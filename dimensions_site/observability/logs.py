"""Processors and renderers of log lines, for the settings of structlog and logging (design/observability.md).

No logged text can end its line: JSON escapes line breaks, and `_on_one_line` does so for the console.
"""

import re
import traceback
from textwrap import indent
from typing import Any, TextIO

import structlog

from dimensions_site.observability.observation import add_operation

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
