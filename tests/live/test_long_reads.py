"""Long-running reads: they have a limit, and none continues after its client has gone."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse, IncompleteRead
from typing import Any
from urllib.parse import quote

import pytest

from tests.factories import account
from tests.services.clerk import errand, prepare
from tests.services.database import migrated_database
from tests.services.long_reads import BASE, CONDITIONS, ENDLESS, HEAVY, LIGHT, REPOSITORY, fill_heavily, hang_up
from tests.services.service import Service, serving
from tests.services.worker import wait_until

PROGRAMS = 8
# Plans compare versions, which elements that are put into the database do not have.
VERSIONS = f"""
from django.db import transaction
from account.models import Account
from dimensions_site.changes.models import Channel
from dimensions_site.elements.models import Change
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.writing.saving import record
from dimensions_site.repositories.models import Repository
with transaction.atomic():
    heavy = Repository.objects.get(db_id={REPOSITORY!r})
    record(Account.of(heavy), heavy.pk, Change.CREATED, Actor("alice", Channel.REST))
"""
PLANS = f"{BASE}/elements-plans"
OTHERS = "/api/aih/dimensions/v1/northwind/currency/elements"


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a database with elements that take long to look through, and an API key for it."""
    folder = tmp_path_factory.mktemp("heavy")
    with migrated_database(folder, os.environ.get("DATABASE_URL", "")) as url:
        key = prepare(url)
        fill_heavily(url)
        errand(url, VERSIONS)
        yield url, key


@pytest.fixture(scope="module")
def service(heavy: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Gunicorn as it is by default, but for the time that reads may take, which is waited out."""
    with serving(*heavy, tmp_path_factory.mktemp("web"), READ_TIMEOUT_SECONDS="8") as running:
        yield running


@pytest.fixture(scope="module")
def hasty(heavy: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose reads may take a second; its lists begin before all their elements are found."""
    url, key = heavy
    url += "?options=-c%20enable_sort=off" if url.startswith("postgres") else ""
    with serving(url, key, tmp_path_factory.mktemp("hasty"), READ_TIMEOUT_SECONDS="1") as running:
        yield running


def test_clients_that_hang_up_leave_nobody_waiting(service: Service):
    """As many as there are threads request minutes of work and disconnect; others are answered meanwhile."""
    for _ in range(PROGRAMS):
        hang_up(service, ENDLESS)
    slowest = 0.0
    for _ in range(20):
        begun = time.monotonic()
        assert service.send("GET", OTHERS).status == 200
        slowest = max(slowest, time.monotonic() - begun)
        time.sleep(0.1)
    assert slowest < 8
    assert '"status": 499' in service.log.read_text()


@pytest.mark.contract("B1")
def test_clients_that_wait_for_long_reads_of_one_repository_leave_threads_for_others(service: Service):
    """Two of them continue in each process; the others get 503, and another repository is answered."""
    with ThreadPoolExecutor(PROGRAMS) as programs:
        waiting = [programs.submit(service.send, "GET", ENDLESS) for _ in range(PROGRAMS)]
        answered = 0
        while not all(call.done() for call in waiting):
            assert service.send("GET", OTHERS).status == 200
            answered += 1
            time.sleep(0.05)
    # Without a free thread, each would wait for the end of a read: for eight seconds.
    assert answered > 5
    refused = [answer for answer in (call.result() for call in waiting) if answer.status == 503]
    codes = Counter(answer.json()["code"] for answer in refused)
    assert codes["TOO_MANY_LONG_READS"] >= PROGRAMS - 4
    assert all(answer.headers["Retry-After"] == "5" for answer in refused if b"TOO_MANY" in answer.body)


@pytest.mark.contract("B1")
@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("elements-count?", "application/json"),
        ("elements?take=10&sort=-description&", "application/json"),
        ("elements?", "text/csv"),
    ],
)
def test_a_read_that_takes_too_long_is_answered_503(hasty: Service, path: str, accept: str):
    """However elements are read; the message says what to do, and that a retry would take as long."""
    begun = time.monotonic()
    answer = hasty.send("GET", f"{BASE}/{path}filter={quote(CONDITIONS)}", Accept=accept)

    assert time.monotonic() - begun < 10
    assert (answer.status, answer.headers["Content-Type"]) == (503, "application/problem+json")
    assert answer.json()["code"] == "QUERY_TIMEOUT"
    assert answer.json()["detail"].startswith("The database worked on this request for 1 seconds and was stopped. Ask")
    assert "Retry-After" not in answer.headers


@pytest.mark.contract("D7")
@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("elements?", "application/json"),
        ("elements-fetch?properties=id&", "text/csv"),
    ],
)
def test_a_stream_that_is_stopped_ends_visibly_broken(hasty: Service, path: str, accept: str):
    """Its first elements are sent before the time is over: the client sees that the others are missing."""
    conditions = CONDITIONS.rsplit(",", 1)[0]
    connection = hasty.connect()
    connection.request(
        "GET",
        f"{BASE}/{path}filter={quote(f'id<{LIGHT:07},{conditions}')}",
        headers={"X-API-Key": hasty.key, "Accept": accept},
    )
    response = connection.getresponse()
    assert response.status == 200
    with pytest.raises(IncompleteRead) as broken:
        response.read()
    assert len(broken.value.partial) > 1_000
    connection.close()


@pytest.mark.contract("D7")
def test_who_reads_slowly_gets_all(hasty: Service):
    """The time in which a client takes the answer does not count, so an answer may take longer than the limit.

    The list is longer than what the buffers between two programs hold.
    """
    with hasty.begin_to_read(f"{BASE}/elements") as connection:
        response = HTTPResponse(connection)
        response.begin()
        time.sleep(3)
        text = response.read()
        assert len(text) > 15_000_000
        assert len(json.loads(text)) == LIGHT + HEAVY


@pytest.mark.contract("K4", "B1")
@pytest.mark.parametrize(
    "source",
    [
        {"snapshot": [], "maxDelete": "100%"},
        {"undo": "the copy", "maxDelete": "100%"},
    ],
    ids=lambda source: next(iter(source)),
)
def test_a_plan_whose_scope_takes_too_long_is_answered_503(hasty: Service, source: dict[str, Any]):
    """Whatever the source, and nothing is stored."""
    if "undo" in source:
        *_, change_set = hasty.send("GET", f"{BASE}/elements-changesets").json()
        source = {**source, "undo": change_set["id"]}
    begun = time.monotonic()
    answer = hasty.send("POST", PLANS, {**source, "scope": CONDITIONS})

    assert time.monotonic() - begun < 10
    assert (answer.status, answer.json()["code"]) == (503, "QUERY_TIMEOUT")
    assert hasty.send("GET", PLANS).json() == []


@pytest.mark.contract("K4", "E2")
def test_others_save_while_a_scope_is_looked_for(service: Service):
    """It is not yet the turn of the plan; and one whose client has gone is given up."""
    body = json.dumps({"snapshot": [], "maxDelete": "100%", "scope": CONDITIONS}).encode()
    connection = service.connect()
    connection.request("POST", PLANS, body, headers={"X-API-Key": service.key, "Content-Type": "application/json"})
    time.sleep(1)
    begun = time.monotonic()
    saved = service.send("POST", f"{PLANS.removesuffix('plans')}bulk", {"put": [account("0000000")]})
    assert (saved.status, time.monotonic() - begun < 5) == (200, True)
    connection.close()
    wait_until(lambda: _ended(service, "elements-plans", 499), "It is not given up")
    assert service.send("GET", PLANS).json() == []


def _ended(service: Service, name: str, status: int) -> bool:
    """Whether the log has a request of the route that ended with the status."""
    lines = map(json.loads, filter(lambda line: line.startswith("{"), service.log.read_text().splitlines()))
    return any(line.get("route", "").endswith(name) and line.get("status") == status for line in lines)
