"""The cache of verified passwords in Redis, which may go at any time."""

import base64
from pathlib import Path

import pytest

from tests.live.own_redis import own_redis
from tests.live.service import free_port, serving
from tests.live.worker import wait_until

PATH = "/dimensions/v1/northwind/account/elements-count"
ALICE = {"X_API_Key": "", "Authorization": f"Basic {base64.b64encode(b'alice:alice-password').decode()}"}


@pytest.mark.contract("B3", "G1")
def test_callers_are_known_with_and_without_the_cache(prepared: tuple[str, str], tmp_path: Path):
    """Not there yet, there, gone: without it each call computes the hash of the password."""
    port = free_port()
    with serving(*prepared, tmp_path, CACHE_URL=f"redis://127.0.0.1:{port}") as service:
        assert service.send("GET", PATH, **ALICE).status == 200
        with own_redis(tmp_path, port) as server:
            server.select(0)
            # After a failure a process does without it for some seconds.
            wait_until(lambda: service.send("GET", PATH, **ALICE).status == 200 and len(server.keys()) == 1, "Not kept")
        assert service.send("GET", PATH, **ALICE).status == 200
        assert "cache_unavailable" in service.log.read_text()
