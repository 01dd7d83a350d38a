"""The clock is moved while people and programs call: what expires has expired then, and no call fails.

It is the clock of our processes. Kept answers, claims and heartbeats go by that of the database, which all processes
share; their tests make rows older.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.utils import timezone

from dimensions_site.repositories.models import ApiKey
from tests.bulkops.jobs.deletions import start, status_of, work_now
from tests.dimensions_site.repositories.test_wrong_passwords import call
from tests.dimensions_site.tokens.clients import access_token, log_in, renew, service, tokens_of, with_token
from tests.factories import Caller, currency

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@contextmanager
def after(time: timedelta) -> Iterator[None]:
    """The clock of this process is ahead by that much, and keeps running."""
    with time_machine.travel(timezone.now() + time, tick=True):
        yield


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    """The cache measures by the same clock."""
    cache.clear()
    yield
    cache.clear()


def json_web_token(alice: Caller) -> str:
    return tokens_of("alice")["access"]


def opaque_token(alice: Caller) -> str:
    return access_token(service(alice.user))


@pytest.mark.parametrize("get", [json_web_token, opaque_token])
def test_an_access_token_is_good_for_its_minutes(alice: Caller, get: Callable[[Caller], str]) -> None:
    """For 15 of them, by the settings; the key of the same user keeps working."""
    program = with_token(get(alice))
    for later, status in ((timedelta(), 200), (14 * MINUTE, 200), (16 * MINUTE, 401), (400 * DAY, 401)):
        with after(later):
            assert program.get(program.currency()).status_code == status, later
            assert alice.get(alice.currency()).status_code == 200


def test_a_login_ends_with_its_refresh_token(alice: Caller) -> None:
    """After a fortnight without a renewal; each renewal begins another one."""
    refresh = tokens_of("alice")["refresh"]
    with after(13 * DAY):
        renewed = renew(refresh)
        assert renewed.status_code == 200
        program = with_token(renewed.json()["access"])
        assert program.get(program.currency()).status_code == 200
    with after(26 * DAY):
        again = renew(renewed.json()["refresh"])
        assert again.status_code == 200
    with after(41 * DAY):
        assert renew(again.json()["refresh"]).status_code == 401
        assert log_in("alice", "alice-password").status_code == 200


def test_a_key_ends_at_its_moment(alice: Caller) -> None:
    """Not before."""
    ApiKey.objects.update(expiry_date=timezone.now() + HOUR)
    for later, status in ((59 * MINUTE, 200), (61 * MINUTE, 401)):
        with after(later):
            assert alice.get(alice.currency()).status_code == status


def test_a_lock_out_ends_after_its_minutes(alice: Caller, settings: Any) -> None:
    """And the right password is accepted again."""
    settings.LOGIN_ATTEMPTS = 3
    assert [call("alice", f"wrong {number}").status_code for number in range(4)] == [401, 401, 429, 429]
    for later, status in ((14 * MINUTE, 429), (16 * MINUTE, 200)):
        with after(later):
            assert call("alice", "alice-password").status_code == status


def test_a_clock_that_is_put_back_loses_nothing(alice: Caller) -> None:
    """Elements written in the future are read, changed, versioned in order, and deleted."""
    with after(HOUR):
        assert alice.send("POST", alice.currency(), currency("EUR")).status_code == 201
        token = json_web_token(alice)
    address = alice.currency("elements/EUR")
    assert alice.send("PATCH", address, {"decimalNumbers": 3}).status_code == 200
    assert alice.get(address).json()["decimalNumbers"] == 3
    assert with_token(token).get(address).status_code in (200, 401)
    oid = start(alice, ["EUR"], "currency")
    work_now()
    status = status_of(alice, oid, "currency")
    assert (status["status"], status["deleted"]) == ("COMPLETED", 1)


def test_a_deletion_waits_through_any_jump_of_the_clock(alice: Caller) -> None:
    """It is done once, whenever the worker runs."""
    alice.send("POST", alice.currency(), currency("EUR"))
    oid = start(alice, ["EUR"], "currency")
    with after(2 * DAY):
        work_now()
        assert status_of(alice, oid, "currency")["deleted"] == 1
    work_now()
    assert status_of(alice, oid, "currency")["deleted"] == 1
