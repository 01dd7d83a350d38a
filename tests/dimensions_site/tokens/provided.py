"""An identity provider that the service trusts, and time that passes when a test says so."""

from collections.abc import Iterator
from typing import Any

import pytest

from dimensions_site.tokens.jwt import identity_provider
from tests.dimensions_site.tokens.clients import with_token
from tests.dimensions_site.tokens.provider import Provider


class Clock:
    """Time that passes when a test says so."""

    now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(identity_provider, "time", clock)
    return clock


@pytest.fixture
def provider(settings: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider that is always waited for, however busy the machine is; tests of delays set their own."""
    monkeypatch.setattr(identity_provider, "_TIMEOUT", 60)
    monkeypatch.setattr(identity_provider, "_SILENCE", 60)
    provider = Provider()
    settings.IDENTITY_PROVIDER = provider.as_setting()
    yield provider
    provider.stop()
    identity_provider.keys_at.cache_clear()  # the next one may get its port


def answer(token: str) -> Any:
    program = with_token(token)
    program.raise_request_exception = False  # a 503 is an answer
    return program.get(program.currency("elements-count"))
