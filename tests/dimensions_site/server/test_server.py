"""The web server: what only a real one and a raw connection can show."""

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import InvalidHeader, InvalidResponseHeader

from dimensions_site.server.worker import WebWorker
from tests.services.service import free_port, wait_for_port

PROJECT = Path(__file__).resolve().parents[3]
ADDRESS = "/dimensions/v1/r/echo/x"
JSON = "Content-Type: application/json"
CHUNKED = f"{JSON}\r\nTransfer-Encoding: chunked"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Server:
    port: int
    home: Path

    def send(self, method: str, address: str, headers: str = "", body: bytes = b"", *, is_all: bool = False) -> Answer:
        """Send bytes as they are on a separate connection, which may end after them; return the response."""
        head = f"{method} {address} HTTP/1.1\r\nHost: localhost\r\nX-Name: alice\r\nConnection: close\r\n{headers}"
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(f"{head.rstrip()}\r\n\r\n".encode("latin-1") + body)
            if is_all:
                connection.shutdown(socket.SHUT_WR)
            with HTTPResponse(connection, method=method) as response:
                response.begin()
                return Answer(response.status, dict(response.getheaders()), response.read())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gunicorn with the project's configuration, serving the echo site."""
    home = tmp_path_factory.mktemp("home")
    port = free_port()
    environment = os.environ | {
        "PORT": str(port),
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "WEB_CONCURRENCY": "1",
        "DATABASE_URL": f"sqlite:///{home / 'unused.sqlite3'}",
        "PYTHONPATH": str(PROJECT),
    }
    for name in ("BIND", "GUNICORN_CMD_ARGS"):
        environment.pop(name, None)
    echo = "tests.dimensions_site.api.echo_server"
    command = [sys.executable, "-m", "gunicorn", "-c", str(PROJECT / "gunicorn.conf.py"), echo]
    with (
        (home / "log").open("wb") as log,
        subprocess.Popen(command, cwd=PROJECT, env=environment, stderr=log) as process,
    ):
        try:
            wait_for_port(port, process)
            yield Server(port, home)
        finally:
            process.terminate()
            process.wait(timeout=60)


def chunks(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"0\r\n\r\n", "EMPTY_BODY"),
        (b"zz\r\n{}\r\n0\r\n\r\n", "INCOMPLETE_BODY"),
        (b"2\r\n{}xx", "INCOMPLETE_BODY"),
        (b"2\r\n{}\r\n0\r\nHost: elsewhere\r\n\r\n", "INCOMPLETE_BODY"),
        (chunks(b"{"), "INVALID_JSON"),
    ],
    ids=["empty", "size", "end", "trailer", "json"],
)
def test_a_broken_chunked_body_is_400(server, body, code):
    """Whatever the server makes of it, the response is a problem document."""
    answer = server.send("POST", ADDRESS, CHUNKED, body)
    assert (answer.status, answer.json()["code"]) == (400, code)


@pytest.mark.contract("B3")
def test_a_chunked_body_beyond_the_limit_is_413(server):
    """It is read up to the limit, not to its end: this one is never ended."""
    answer = server.send("POST", ADDRESS, CHUNKED, b"%x\r\n" % 10**12 + b" " * 3_000_000)
    assert (answer.status, answer.json()["code"]) == (413, "BODY_TOO_LARGE")


@pytest.mark.contract("B3")
def test_a_body_that_ends_before_its_announced_length_is_400(server):
    """What arrived could be complete JSON by accident; the message has both lengths."""
    answer = server.send("POST", ADDRESS, f"{JSON}\r\nContent-Length: 9", b'{"a": 1}', is_all=True)
    assert (answer.status, answer.json()["code"]) == (400, "INCOMPLETE_BODY")
    assert "8 bytes" in answer.json()["detail"]
    assert "announces 9" in answer.json()["detail"]


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "content_type",
    ["text/plain; a*=nonsense''%41", "application/json; charset=undefined", "application/json; charset=zlib"],
)
def test_a_content_type_on_which_django_fails_is_415(server, content_type):
    """The query is decoded by UTF-8 all the same."""
    headers = f"Content-Type: {content_type}\r\nContent-Length: 2"
    answer = server.send("POST", f"{ADDRESS}?filter=%C3%A4", headers, b"{}")
    assert answer.status == 415
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.contract("A7", "B3")
def test_a_charset_does_not_bring_thousands_of_parameters_past_the_error_handler(server):
    """Django would count them before any error handler exists."""
    query = "&".join(["p=1"] * 10_001)
    answer = server.send("GET", f"{ADDRESS}?{query}", f"{JSON}; charset=utf-8")
    assert (answer.status, answer.json()["code"]) == (400, "TOO_MANY_PARAMETERS")


@pytest.mark.contract("B3")
def test_no_header_moves_the_application_to_another_path(server):
    """A client could make gunicorn fail with it, or get a response about another address."""
    for prefix in ("/x", "/dimensions"):
        answer = server.send("GET", "/dimensions/v1/r/echo/a", f"Script_Name: {prefix}\r\n")
        assert (answer.status, answer.json()["path"]["name"]) == (200, "a")


@pytest.mark.contract("D4")
def test_the_longest_filter_gets_through(server):
    """4,096 characters outside the basic plane are 49,152 bytes on the line, six times gunicorn's usual limit."""
    answer = server.send("GET", f"{ADDRESS}?filter={'%F0%9F%98%80' * 4_096}")
    assert answer.json()["query"] == {"filter": ["😀" * 4_096]}


@pytest.mark.contract("B1")
def test_a_longer_address_is_414(server):
    """Up to the limit of the server itself as a problem document; beyond it the server refuses in its own format."""
    answer = server.send("GET", f"{ADDRESS}?filter={'a' * 70_000}")
    assert (answer.status, answer.json()["code"]) == (414, "URI_TOO_LONG")
    assert server.send("GET", f"{ADDRESS}?filter={'a' * 132_000}").status == 414


@pytest.mark.contract("A4", "D7")
def test_head_does_not_make_a_streamed_body(server):
    """A list of a million elements is not read from the database for nothing: this one fails when it is read."""
    assert server.send("HEAD", "/dimensions/v1/r/streamed").status == 200
    assert server.send("GET", "/dimensions/v1/r/streamed").status == 500


def test_the_server_reveals_no_version_and_leaves_no_files(server):
    """No control socket in the home or runtime directory."""
    assert server.send("GET", ADDRESS).headers["Server"] == "gunicorn"
    assert [entry.name for entry in server.home.iterdir()] == ["log"]


SECRET = "hush"


def handled(error: Exception) -> tuple[int, dict]:
    """The status and the problem document with which a worker answers that error."""
    worker = WebWorker.__new__(WebWorker)
    worker.cfg, worker.log = Config(), logging.getLogger("gunicorn.error")
    client, server = socket.socketpair()
    with client, server:
        try:
            raise error
        except Exception as caught:
            request = SimpleNamespace(method="GET", uri=f"/?key={SECRET}")
            worker.handle_error(request, server, ("192.0.2.7", 1), caught)
        head, _, body = client.recv(65_536).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@pytest.mark.contract("B1", "B3")
@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (InvalidHeader(f"X-API-Key {SECRET}"), 400, "Invalid request from ip=192.0.2.7: InvalidHeader"),
        (InvalidResponseHeader("X-Total"), 500, "Error handling request"),
        (KeyError("anything"), 500, "Error handling request"),
    ],
    ids=["header", "response", "anything"],
)
def test_a_failed_request_is_answered_with_a_problem_and_logged_without_its_parts(caplog, error, status, message):
    """A malformed header may be a credential, and a query may hold one."""
    found, problem = handled(error)
    assert (found, problem["status"]) == (status, status)
    assert [record.getMessage() for record in caplog.records] == [message]
    assert SECRET not in message
