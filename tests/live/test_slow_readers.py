"""Clients that read a long list slowly occupy no thread of the web server behind nginx, as docs/deploy sets it up."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.services.fronted import fronted
from tests.services.long_reads import HEAVY, LIGHT, REPOSITORY, fill_heavily
from tests.services.service import Service
from tests.services.worker import wait_until

BASE = f"/api/aih/dimensions/v1/{REPOSITORY}/account"
THREADS = 2
# Their texts are more than the buffers between two programs hold: 18 MB.
COUNT = LIGHT + HEAVY


@pytest.fixture
def behind_nginx(prepared: tuple[str, str], tmp_path: Path) -> Iterator[Service]:
    """The service with few threads behind nginx, at whose port for http it is called."""
    fill_heavily(prepared[0])
    with fronted(*prepared, tmp_path, WEB_CONCURRENCY="1", WEB_THREADS=str(THREADS)) as (service, _):
        yield service


def begin_to_read(service: Service, stack: ExitStack) -> HTTPResponse:
    """Return a list whose elements are still to be read, after as many tries as a loaded machine needs.

    Where finding the first elements takes a second, a repository may not occupy all threads, and the answer is 503.
    """
    responses = []

    def is_answered() -> bool:
        response = HTTPResponse(stack.enter_context(service.begin_to_read(f"{BASE}/elements")))
        response.begin()
        responses.append(response)
        assert response.status in (200, 503)
        return response.status == 200

    wait_until(is_answered, "No list")
    return responses[-1]


@pytest.mark.contract("D7")
def test_others_are_served_while_some_read_slowly(behind_nginx: Service):
    """There are more of them than threads, and each gets its whole list when it resumes reading."""
    with ExitStack() as stack:
        slow = [
            HTTPResponse(stack.enter_context(behind_nginx.begin_to_read(f"{BASE}/elements")))
            for _ in range(2 * THREADS)
        ]
        for response in slow:
            response.begin()
            assert response.status == 200
        assert behind_nginx.send("GET", f"{BASE}/elements-count").json() == COUNT
        assert [len(json.loads(response.read())) for response in slow] == [COUNT] * len(slow)
