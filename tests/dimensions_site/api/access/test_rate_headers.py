"""The answers to counted calls say what is left (draft-ietf-httpapi-ratelimit-headers-10)."""

import re
from typing import Any

import pytest
from django.core.cache import cache

from dimensions_site.environment import Rate
from tests.factories import Person, account

pytestmark = pytest.mark.contract("M7")


@pytest.fixture(autouse=True)
def fresh():
    """Other tests count calls of the same users."""
    cache.clear()


def left(response: Any) -> dict[str, int]:
    """What is left, by the name of the limit; the seconds are within the period."""
    found = re.findall(r'"(\w+)";r=(\d+);t=(\d+)', response["RateLimit"])
    assert response["RateLimit"] == ", ".join(f'"{name}";r={rest};t={seconds}' for name, rest, seconds in found)
    assert all(0 < int(seconds) <= 86_400 for _, _, seconds in found)
    return {name: int(rest) for name, rest, _ in found}


def test_each_answer_says_what_is_left(alice: Person, settings: Any):
    """Whatever its status; a bulk save counts twice."""
    settings.THROTTLE_CALLS, settings.THROTTLE_BULK = Rate(6, "day"), Rate(2, "day")
    for number, (response, status) in enumerate(
        [
            (alice.get(alice.account("elements-count")), 200),
            (alice.get(alice.account("elements/none")), 404),
            (alice.send("POST", alice.account(), {}), 400),
        ]
    ):
        assert (response.status_code, left(response)) == (status, {"calls": 5 - number})
        assert response["RateLimit-Policy"] == '"calls";q=6;w=86400'
    response = alice.send("POST", alice.account("elements-bulk"), {"post": [account()]})
    assert left(response) == {"calls": 2, "bulk": 1}
    assert response["RateLimit-Policy"] == '"calls";q=6;w=86400, "bulk";q=2;w=86400'
    response.getvalue()
    for status, rest in ((200, 1), (200, 0), (429, 0)):
        response = alice.get(alice.account("elements-count"))
        assert (response.status_code, left(response)) == (status, {"calls": rest})


def test_without_a_limit_nothing_is_said(alice: Person, settings: Any):
    settings.THROTTLE_CALLS = None
    response = alice.get(alice.account("elements-count"))
    assert not {"RateLimit", "RateLimit-Policy"} & {*response.headers}


def test_a_replayed_answer_says_what_is_left_now(alice: Person):
    """Not what was left at first."""
    first, again = (alice.send("POST", alice.account(), account(), Idempotency_Key="k") for _ in range(2))
    assert again["Idempotent-Replayed"] == "true"
    assert left(again)["calls"] == left(first)["calls"] - 1
