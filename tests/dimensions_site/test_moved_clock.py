"""The clock is moved while programs call: no call fails, and nothing is lost.

It is the clock of our processes. Kept answers, claims and heartbeats go by that of the database, which all processes
share; their tests make rows older.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.utils import timezone

from tests.bulkops.jobs.deletions import start, status_of, work_now
from tests.factories import Person, currency

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


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


def test_a_clock_that_is_put_back_loses_nothing(alice: Person) -> None:
    """Elements written in the future are read, changed, versioned in order, and deleted."""
    with after(HOUR):
        assert alice.send("POST", alice.currency(), currency("EUR")).status_code == 201
    address = alice.currency("elements/EUR")
    assert alice.send("PATCH", address, {"decimalNumbers": 3}).status_code == 200
    assert alice.get(address).json()["decimalNumbers"] == 3
    oid = start(alice, ["EUR"], "currency")
    work_now()
    status = status_of(alice, oid, "currency")
    assert (status["status"], status["deleted"]) == ("COMPLETED", 1)


def test_a_deletion_waits_through_any_jump_of_the_clock(alice: Person) -> None:
    """It is done once, whenever the worker runs."""
    alice.send("POST", alice.currency(), currency("EUR"))
    oid = start(alice, ["EUR"], "currency")
    with after(2 * DAY):
        work_now()
        assert status_of(alice, oid, "currency")["deleted"] == 1
    work_now()
    assert status_of(alice, oid, "currency")["deleted"] == 1
