"""An external identity provider, a separate process, changes its keys and stops while the service runs."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.services.identity_server import AUDIENCE
from tests.services.service import PROJECT, Service, free_port, serving, stop, wait_for_port

pytestmark = [pytest.mark.contract("G1")]

# Its keys are requested at most every ten seconds, and an answer may take three: on a slow machine more than once.
TIMEOUT = 90


@contextmanager
def provider(port: int) -> Iterator[Callable[[str], str]]:
    """The provider at the port; what is yielded asks it."""
    command = [sys.executable, "-m", "tests.services.identity_server", str(port)]
    with subprocess.Popen(command, cwd=PROJECT) as process:
        try:
            wait_for_port(port, process)
            yield lambda path: requests.get(f"http://127.0.0.1:{port}{path}", timeout=30).text
        finally:
            stop(process)


def status(service: Service, token: str) -> int:
    address = f"{service.address}/dimensions/v1/northwind/account/elements-count"
    return requests.get(address, headers={"Authorization": f"Bearer {token}"}, timeout=30).status_code


def becomes(expected: int, service: Service, token: str) -> bool:
    """Whether calls with the token are answered so within the timeout."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        if status(service, token) == expected:
            return True
        time.sleep(0.1)
    return False


def test_keys_come_and_go_and_so_does_the_provider(prepared: tuple[str, str], tmp_path: Path) -> None:
    """A service that starts before the provider answers 503; from then on good tokens are accepted whatever happens."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    settings = {"IDP_ISSUER": address, "IDP_AUDIENCE": AUDIENCE, "IDP_JWKS_URL": f"{address}/keys"}
    # Each process of the web server keeps the keys for itself, so one is enough.
    with serving(*prepared, tmp_path, WEB_CONCURRENCY="1", **settings) as service:
        with provider(port) as ask:
            first = ask("/token?sub=alice")
        assert status(service, first) == 503
        with provider(port) as ask:
            old = ask("/token?sub=alice")
            assert becomes(200, service, old)
            assert status(service, first) == 401  # its key died with the first process
            assert status(service, ask("/token?sub=nobody")) == 401
            assert status(service, ask("/token?sub=alice&aud=others")) == 401
            assert status(service, ask("/token?sub=alice&scope=read")) == 200
            ask("/rotate")
            new = ask("/token?sub=alice")
            assert becomes(200, service, new)
            assert status(service, old) == 200
        for _ in range(20):
            assert status(service, old) == status(service, new) == 200
