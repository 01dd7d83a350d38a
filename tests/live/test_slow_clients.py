"""Behind nginx, as docs/deploy sets it up, clients that send or read slowly occupy no thread of the web server."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse

import pytest

from tests.load.attacks.connections import connections, dripping
from tests.services.fronted import fronted
from tests.services.long_reads import BASE, HEAVY, LIGHT, fill_heavily
from tests.services.service import Service

SILENT = 1_000
UNFINISHED = 64
UNFINISHED_HEADERS = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow"
DRIPPING = 32
THREADS = 2
# Its texts are more than the buffers between two programs hold: 18 MB.
LIST, COUNT = f"{BASE}/elements", LIGHT + HEAVY
# What a response takes at most during the attack, on a slow machine; directly it would be minutes.
TIMEOUT = 5


@pytest.fixture(scope="module")
def behind_nginx(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service with few threads behind nginx, at whose port for http it is called."""
    fill_heavily(prepared[0])
    few = {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS)}
    with fronted(*prepared, tmp_path_factory.mktemp("slow"), **few) as service:
        yield service


def slowest(service: Service, calls: int = 30) -> float:
    """The seconds that the slowest of some calls of another client took, all of which were answered."""
    durations = []
    for _ in range(calls):
        begin = time.monotonic()
        assert service.send("GET", f"{LIST}-count").json() == COUNT
        durations.append(time.monotonic() - begin)
    return max(durations)


def test_others_are_answered_while_a_thousand_connections_are_silent(behind_nginx: Service):
    with connections(behind_nginx, SILENT):
        assert slowest(behind_nginx) < TIMEOUT


def test_others_are_answered_while_headers_do_not_end(behind_nginx: Service):
    with connections(behind_nginx, UNFINISHED, UNFINISHED_HEADERS):
        assert slowest(behind_nginx) < TIMEOUT


def test_others_are_answered_while_bodies_come_drop_by_drop(behind_nginx: Service):
    """To the endpoint for tokens, which reads a body before it knows the client."""
    with dripping(behind_nginx, DRIPPING, seconds=1):
        assert slowest(behind_nginx) < TIMEOUT


@pytest.mark.contract("D7")
def test_others_are_answered_while_some_read_slowly(behind_nginx: Service):
    """There are more of them than threads, and each gets its whole list when it resumes reading."""
    with ExitStack() as stack:
        slow = [HTTPResponse(stack.enter_context(behind_nginx.begin_to_read(LIST))) for _ in range(2 * THREADS)]
        for response in slow:
            response.begin()
            assert response.status == 200
        assert slowest(behind_nginx, 1) < TIMEOUT
        assert [len(json.loads(response.read())) for response in slow] == [COUNT] * len(slow)
