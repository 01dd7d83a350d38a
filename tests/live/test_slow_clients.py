"""Clients that stop in the middle keep a thread of the web server for a while, and never for good."""

import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.live.certificates import make_certificate
from tests.live.service import Service, free_port, serving

# One process with as many threads as there are clients that keep them busy.
BEGINNINGS = (b"G", b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow", b"GET /health/live HTTP/1.1\r\n")
FEW = {
    "WEB_CONCURRENCY": "1",
    "WEB_THREADS": str(len(BEGINNINGS)),
    "GUNICORN_CMD_ARGS": "--worker-class tests.live.hasty_worker.HastyWorker",
}
GENTLE = {"GUNICORN_CMD_ARGS": "--worker-class tests.live.hasty_worker.GentleWorker --keep-alive 120"}
# The time that a client gets, and what a busy machine adds, in seconds.
PATIENCE = 60


@pytest.fixture(scope="module")
def few(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service with few threads and little patience."""
    with serving(*prepared, tmp_path_factory.mktemp("few"), **FEW) as running:
        yield running


def begun(port: int, beginning: bytes) -> socket.socket:
    """A connection on which so much of a request is sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.sendall(beginning)
    return connection


def keep_dropping(connection: socket.socket) -> None:
    """Send a header now and then, until it is refused or nobody has any more patience."""
    start = time.monotonic()
    while time.monotonic() < start + PATIENCE:
        connection.sendall(b"X-Drop: 1\r\n")
        time.sleep(0.2)


def test_clients_whose_headers_do_not_end_are_let_go(few: Service):
    """Within the line or a header, or drop by drop: they are closed without a word, and others are served again."""
    with ExitStack() as stack:
        *silent, dropping = [stack.enter_context(begun(few.port, beginning)) for beginning in BEGINNINGS]
        start = time.monotonic()
        with pytest.raises(ConnectionError):
            keep_dropping(dropping)
        assert few.send("GET", "/health/live").status == 200
        assert time.monotonic() - start < PATIENCE
        assert [connection.recv(1_000) for connection in silent] == [b"", b""]


def test_clients_that_stop_in_the_middle_of_tls_are_let_go(prepared: tuple[str, str], tmp_path: Path):
    """Within the handshake, and after it within the headers."""
    certificate = make_certificate(tmp_path)
    port = free_port()
    settings = {
        **FEW,
        "TLS_BIND": f"127.0.0.1:{port}",
        "TLS_CERTFILE": str(certificate.file),
        "TLS_KEYFILE": str(certificate.key),
    }
    trusting = ssl.create_default_context(cafile=str(certificate.file))
    with (
        serving(*prepared, tmp_path, **settings),
        begun(port, b"\x16\x03\x01") as greeting,
        trusting.wrap_socket(begun(port, b""), server_hostname="localhost") as speaking,
    ):
        speaking.sendall(b"GET /health/live HTTP/1.1\r\n")
        assert greeting.recv(1_000) == b""
        assert speaking.recv(1_000) == b""


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("framing", "body"),
    [(b"Content-Length: 100", b'{"id":'), (b"Transfer-Encoding: chunked", b'5\r\n{"id"')],
    ids=["announced", "chunked"],
)
def test_clients_whose_body_does_not_end_are_refused(few: Service, framing: bytes, body: bytes):
    """400, as for a body whose connection ends: nothing is written, and the connection is closed."""
    head = (
        b"POST /dimensions/v1/northwind/account/elements HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nX-API-Key: %s\r\n%s\r\n\r\n" % (few.key.encode(), framing)
    )
    with begun(few.port, head + body) as connection, HTTPResponse(connection, method="POST") as answer:
        answer.begin()
        assert (answer.status, json.loads(answer.read())["code"]) == (400, "INCOMPLETE_BODY")
        assert connection.recv(1_000) == b""


def test_a_client_that_takes_its_time_is_served(prepared: tuple[str, str], tmp_path: Path):
    """A pause between the parts of a request is no attack, nor one between two requests on a connection."""
    with (
        serving(*prepared, tmp_path, **{**FEW, **GENTLE}) as service,
        begun(service.port, b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n") as connection,
    ):
        for rest in (b"\r\n", b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            time.sleep(1)
            connection.sendall(rest)
            answer = b""
            while not answer.endswith(b"}"):  # head and body may come one after the other
                piece = connection.recv(10_000)
                assert piece
                answer += piece
            assert answer.startswith(b"HTTP/1.1 200")
