"""The lines of the log, as tests see them."""

from typing import Any

import pytest


def lines(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, Any]]:
    """The log lines of the event, without fields that no test is about."""
    messages = [
        record.msg for record in caplog.records if isinstance(record.msg, dict) and record.msg["event"] == event
    ]
    return [{name: value for name, value in line.items() if name not in _AROUND} for line in messages]


def line(caplog: pytest.LogCaptureFixture, event: str) -> dict[str, Any]:
    """The only line of the event."""
    (only,) = lines(caplog, event)
    return only


_AROUND = ("event", "logger", "timestamp", "request_id", "duration_ms")
