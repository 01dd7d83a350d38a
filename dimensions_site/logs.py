"""What the service writes into its log, and how."""

import re
import traceback
from textwrap import indent
from typing import Any, TextIO

import structlog

from dimensions_site.telemetry.observation import tell

_PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    tell,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
]
# Whose lines LOG_LEVEL is about. Libraries tell their makers what passes through them: tokens, or all that a page
# shows.
_OURS = ("account", "bulkops", "currency", "dimensions_site", "django_structlog")

# What could end a line or steer a terminal.
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_OF_LINES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def configured(format: str, level: str) -> dict[str, Any]:
    """What Django's setting `LOGGING` says: one line an event on the error output, from `level` on.

    `format` is `json` for one JSON object a line, or `console` for people's eyes. No text that is logged can end its
    line: JSON escapes what could, and so is it done for the console.
    """
    structlog.configure(
        # First, what is not to be told goes: each request has an event of that kind.
        processors=[
            structlog.stdlib.filter_by_level,
            *_PROCESSORS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    console = [_on_one_line, structlog.dev.ConsoleRenderer(colors=False, exception_formatter=_write_indented)]
    json = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"without_requests": {"()": "dimensions_site.telemetry.web_server.WithoutRequests"}},
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _PROCESSORS,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *(json if format == "json" else console),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level if level == "ERROR" else "WARNING"},
        "loggers": {
            **{name: {"level": level} for name in _OURS},
            # The web server's lines in the same form.
            "gunicorn.error": {"handlers": [], "propagate": True, "filters": ["without_requests"]},
            # What it tells of requests, with their paths, `request_finished` and `request_failed` tell without.
            "django.request": {"level": "CRITICAL"},
            # Anyone could fill the log with the stack traces of a wrong Host header, or of an address that cannot be
            # meant, of which `request_not_understood` tells the reason.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "django.security.SuspiciousOperation": {"level": "CRITICAL"},
            # It tells what was typed as a user name, which may be the password. `access_refused` tells the rest.
            "axes": {"level": "ERROR"},
        },
    }


def _on_one_line(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _escaped(value, _CONTROL_CHARACTER) if isinstance(value, str) else value for name, value in event.items()
    }


def _write_indented(stream: TextIO, exc_info: Any) -> None:
    """Write a stack trace so that no line of it, which may quote a request, looks like one of the log."""
    stream.write("\n" + indent(_escaped("".join(traceback.format_exception(*exc_info)), _OF_LINES).rstrip(), "    "))


def _escaped(text: str, characters: re.Pattern[str]) -> str:
    return characters.sub(lambda found: ascii(found[0])[1:-1], text)
