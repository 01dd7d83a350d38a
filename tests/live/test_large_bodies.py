"""Bodies that are too large, or decompress to too much, cost the running service neither memory nor time."""

import gzip
import socket
import time
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.load.memory import COPIED, SINGLE, Peak
from tests.services.service import Service, serving

ELEMENTS = "/dimensions/v1/northwind/account/elements"
BULK = f"{ELEMENTS}-bulk"
MEGABYTE = 1024 * 1024
LIMIT = 32 * MEGABYTE
needs_proc = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak from Linux's /proc")

pytestmark = pytest.mark.contract("B3")


@pytest.fixture
def single(prepared: tuple[str, str], tmp_path: Path) -> Iterator[Service]:
    """The service with one thread in one worker process, whose memory is looked at."""
    with serving(*prepared, tmp_path, API_MAX_BULK_BODY_SIZE=str(LIMIT), **SINGLE) as running:
        yield running


@pytest.fixture(scope="module")
def one_thread(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The same service for tests that do not look at its memory."""
    variables = {"API_MAX_BULK_BODY_SIZE": str(LIMIT), **SINGLE}
    with serving(*prepared, tmp_path_factory.mktemp("one thread"), **variables) as running:
        yield running


def idle(service: Service) -> Peak:
    """Its memory from now on, once it has answered and loaded what is loaded once."""
    assert service.send("POST", BULK, b"{").status == 400
    return Peak(service)


@pytest.mark.parametrize("address", [ELEMENTS, BULK])
def test_a_client_that_announces_too_much_is_refused_at_once_and_keeps_nobody_waiting(
    one_thread: Service, address: str
):
    """The service does not wait for ten gigabytes: the connection ends, and the only thread serves the next client."""
    head = (
        f"POST {address} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {one_thread.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {10 * 1024**3}\r\n\r\n"
    )
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", one_thread.port), timeout=50) as connection:
        connection.sendall(head.encode())
        with HTTPResponse(connection, method="POST") as response:
            response.begin()
            assert (response.status, response.getheader("Connection")) == (413, "close")
            assert b"BODY_TOO_LARGE" in response.read()
        assert one_thread.send("GET", f"{ELEMENTS}-count").status == 200
        assert connection.recv(1) == b""
    assert time.monotonic() - start < 50  # a body that does not come is waited for a minute


@needs_proc
@pytest.mark.parametrize("address", [ELEMENTS, BULK])
def test_a_gigabyte_in_a_megabyte_is_refused_in_little_memory(single: Service, address: str):
    """No more of it is decompressed than is accepted, and that is held once."""
    bomb = gzip.compress(bytes(MEGABYTE)) * 1024
    assert len(bomb) < 2 * MEGABYTE
    peak = idle(single)
    answer = single.send("POST", address, bomb, Content_Encoding="gzip")
    assert (answer.status, answer.json()["code"]) == (413, "BODY_TOO_LARGE")
    assert "after decompression" in answer.json()["detail"]
    assert peak.above_idle() * 1024 < LIMIT + COPIED


@needs_proc
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_bulk_body_is_held_once(single: Service, encoding: str):
    """It is read, decompressed and checked in little more memory than its own size."""
    body = b'{"post": [' + b" " * (LIMIT - 12) + b"x"
    sent = gzip.compress(body, 1) if encoding == "gzip" else body
    peak = idle(single)
    answer = single.send("POST", BULK, sent, Content_Encoding=encoding)
    assert (answer.status, answer.json()["code"]) == (400, "INVALID_JSON")
    # Held twice it would be two times the limit; freed memory of what was before may be used again.
    assert 0.5 * LIMIT < peak.above_idle() * 1024 < LIMIT + COPIED
