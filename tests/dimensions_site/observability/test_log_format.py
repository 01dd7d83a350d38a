"""The form of log lines: one object a line for programs, one line an event for people, and no forged lines."""

import io
import json
import logging
import logging.config
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from django.conf import settings

from dimensions_site.observability import observation

# What ends a line, moves the cursor or colours a terminal.
FORGERY = 'alice\n2026-11-21 [info] access_granted\r\x1b[2K\x85\u2028{"event": "forged"}\x00'


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """A logger of the service on its own."""
    found = logging.getLogger("dimensions_site.tests")
    found.propagate = False
    yield found
    found.propagate = True
    found.handlers.clear()


def written(logger: logging.Logger, format: str, write: Callable[[Any], object]) -> str:
    """The output of the formatter of that name for the lines that `write` writes."""
    described = settings.LOGGING["formatters"]["line"] | {"processors": observation.RENDERERS[format]}
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    make = described.pop("()")
    handler.setFormatter(make(**described))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    write(structlog.get_logger(logger.name))
    return stream.getvalue()


def test_json_is_one_object_a_line(logger):
    text = written(logger, "json", lambda log: log.info("worker_started", worker=FORGERY))
    (line,) = text.splitlines()
    assert json.loads(line)["worker"] == FORGERY
    assert line.isascii()


@pytest.mark.parametrize("foreign", [False, True], ids=["of the service", "of a library"])
def test_no_value_forges_a_line_on_the_console(logger, foreign):
    """Neither one of the service, nor one within the message of a library."""

    def write(log: Any) -> None:
        if foreign:
            logger.warning("Forbidden: %s", FORGERY)
        else:
            log.warning(FORGERY, user=FORGERY, changed={FORGERY: [FORGERY]})

    text = written(logger, "console", write)
    (line,) = text.splitlines()
    assert "alice\\n2026-11-21" in line
    assert not {character for character in line if not character.isprintable()}


@pytest.mark.parametrize("format", ["json", "console"])
def test_no_message_of_an_exception_forges_a_line(logger, format):
    """In a stack trace, of which every line is indented for people."""

    def write(log: Any) -> None:
        try:
            raise ValueError(FORGERY)
        except ValueError:
            log.exception("request_failed")

    first, *others = written(logger, format, write).splitlines()
    assert "request_failed" in first
    if format == "json":
        assert not others
        assert FORGERY.splitlines()[0] in json.loads(first)["exception"]
    else:
        assert all(line.startswith("    ") for line in others)
        assert not {character for line in others for character in line if not character.isprintable()}


def test_libraries_do_not_log_what_passes_through_them():
    """Django would log all that a page shows, a new key too, and the parameters of each SQL statement."""
    configuration = json.dumps(
        "import logging, django; django.setup();"
        "names = ['django.template', 'django.db.backends', 'oauthlib', 'urllib3', 'dimensions_site.x', 'bulkops.y'];"
        "print([logging.getLogger(name).isEnabledFor(logging.DEBUG) for name in names])"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", f"exec({configuration})"],
        env={"SECRET_KEY": "x" * 50, "LOG_LEVEL": "DEBUG", "DJANGO_SETTINGS_MODULE": "dimensions_site.settings"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert outcome.stdout.strip() == "[False, False, False, False, True, True]"
