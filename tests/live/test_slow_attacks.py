"""Behind nginx, as docs/deploy sets it up, clients that send nothing, or byte by byte, keep nobody waiting."""

import time
from collections.abc import Iterator

import pytest

from tests.load.attacks.connections import connections, dripping
from tests.services.fronted import fronted
from tests.services.service import Service

COUNT = "/dimensions/v1/northwind/account/elements-count"
SILENT = 1_000
UNFINISHED = 64
UNFINISHED_HEADERS = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow"
DRIPPING = 32
# What a response takes at most during the attack, on a slow machine; directly it would be minutes.
TIMEOUT = 5


@pytest.fixture(scope="module")
def behind_nginx(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service with its default numbers of processes and threads."""
    with fronted(*prepared, tmp_path_factory.mktemp("attacked")) as (service, _):
        yield service


def slowest(service: Service, calls: int = 30) -> float:
    """The seconds that the slowest of some calls of another client took, all of which were answered."""
    durations = []
    for _ in range(calls):
        begin = time.monotonic()
        assert service.send("GET", COUNT).status == 200
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
