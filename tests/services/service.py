"""The service as operators run it: real processes, a real port, a separate database."""

import fcntl
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from random import SystemRandom
from typing import IO, Any

from tests.services.certificates import Certificate

PROJECT = Path(__file__).resolve().parents[2]
# Nothing that runs on a developer's machine may affect the service under test.
_UNSET = (
    *("BIND", "PORT", "GUNICORN_CMD_ARGS", "TRUSTED_PROXIES", "EMAIL_URL"),
    *("URL_PREFIX", "CORS_ALLOWED_ORIGINS", "LOG_FORMAT", "LOG_LEVEL", "DEBUG", "API_AUTHENTICATION"),
    *("IDP_ISSUER", "IDP_AUDIENCE", "IDP_JWKS_URL", "IDP_USER_CLAIM", "IDP_ALGORITHMS"),
    *("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_GROUPS_CLAIM", "OIDC_SCOPES", "LOCAL_SIGN_IN"),
)
_PATH = os.pathsep.join([str(PROJECT / "tests" / "services" / "as_installed"), str(PROJECT)])
_TIMEOUT = 120
# Rates that no load of a test reaches, but counted as in service.
_RATES = dict.fromkeys(("THROTTLE_CALLS", "THROTTLE_BULK", "THROTTLE_ADMIN"), "999999999/minute")
_PORTS = range(20_000, 32_000)
# The files that stand for ports, locked until this process ends.
_taken: list[IO[str]] = []


@dataclass(frozen=True)
class Answer:
    """A response, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Service:
    """A running gunicorn: `pid` is its master, `log` what it has written."""

    port: int
    pid: int
    key: str
    log: Path
    host: str = "127.0.0.1"
    certificate: Certificate | None = None

    @property
    def address(self) -> str:
        """The URL of the service."""
        return f"http://{self.host}:{self.port}"

    def connect(self) -> HTTPConnection:
        """A new connection to it; with TLS when the service has a certificate."""
        if self.certificate is None:
            return HTTPConnection(self.host, self.port, timeout=_TIMEOUT)
        context = ssl.create_default_context(cafile=self.certificate.file)
        return HTTPSConnection(self.host, self.port, timeout=_TIMEOUT, context=context)

    def send(self, method: str, address: str, body: Any = None, **headers: str) -> Answer:
        """Send a request on a connection of its own; `body` as JSON, bytes as they are, an iterator in chunks."""
        data = body if body is None or isinstance(body, bytes | Iterator) else json.dumps(body).encode()
        connection = self.connect()
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            described = {"X-API-Key": self.key, "Content-Type": "application/json", **sent}
            connection.request(method, address, data, described, encode_chunked=isinstance(data, Iterator))
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def send_bytes(self, data: bytes, *, is_all: bool = False) -> Answer:
        """Send bytes as they are on a separate connection, which may end after them; return the response."""
        with socket.create_connection((self.host, self.port), timeout=_TIMEOUT) as connection:
            connection.sendall(data)
            if is_all:
                connection.shutdown(socket.SHUT_WR)
            with HTTPResponse(connection) as response:
                response.begin()
                return Answer(response.status, dict(response.getheaders()), response.read())

    def begin_to_read(self, address: str) -> socket.socket:
        """A connection with little room for what comes, on which a GET is sent, and nothing read of the answer."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(_TIMEOUT)
        connection.connect((self.host, self.port))
        lines = f"GET {address} HTTP/1.1", f"Host: {self.host}", f"X-API-Key: {self.key}", "Connection: close"
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return connection

    def read_through(self, address: str, **headers: str) -> int:
        """Read the answer to a GET piece by piece, keeping none; return its length in bytes."""
        connection = self.connect()
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("GET", address, headers={"X-API-Key": self.key, **sent})
            response = connection.getresponse()
            assert response.status == 200
            return sum(map(len, iter(lambda: response.read(65536), b"")))
        finally:
            connection.close()

    def workers(self) -> list[int]:
        """The process ids of gunicorn's workers (Linux)."""
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]


def environment(database_url: str, **variables: str) -> dict[str, str]:
    """The environment of a process of the service with that database."""
    inherited = {name: value for name, value in os.environ.items() if name not in _UNSET}
    return {**_RATES, **inherited, "DATABASE_URL": database_url, "PYTHONPATH": _PATH, **variables}


def manage(database_url: str, *words: str, **variables: str) -> str:
    """Run `manage.py` to its end; return what it printed."""
    return subprocess.run(
        [sys.executable, str(PROJECT / "manage.py"), *words],
        cwd=PROJECT,
        env=environment(database_url, **variables),
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout


@contextmanager
def serving(
    database_url: str, key: str, folder: Path, certificate: Certificate | None = None, /, **variables: str
) -> Iterator[Service]:
    """Gunicorn with the project's configuration, until the block ends; its log is a file in `folder`."""
    port = free_port()
    log = folder / "gunicorn.log"
    command = [sys.executable, "-m", "gunicorn", "-c", str(PROJECT / "gunicorn.conf.py"), "dimensions_site.wsgi"]
    variables = {"PORT": str(port), **variables}
    if certificate:
        variables["GUNICORN_CMD_ARGS"] = f"--certfile {certificate.file} --keyfile {certificate.key}"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=folder, env=environment(database_url, **variables), stderr=output) as process,
    ):
        try:
            wait_for_port(port, process)
            service = Service(port, process.pid, key, log, certificate=certificate)
            service.send("GET", "/health/live")  # the port is open before there is a process that answers
            yield service
        finally:
            stop(process)


def stop(process: "subprocess.Popen[Any]", number: signal.Signals = signal.SIGTERM) -> int:
    """End a process by a signal and return its status; it is killed when it does not end in time."""
    process.send_signal(number)
    try:
        return process.wait(timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def free_port() -> int:
    """A port on which nobody listens, and which no other process of the tests gets while this one runs.

    It is none of those that the system gives to clients, or to whoever wants to listen anywhere: until the server that
    it is for has started, somebody else would get it.
    """
    places = Path(tempfile.gettempdir(), f"ports-of-tests-{os.getuid()}")
    places.mkdir(exist_ok=True)
    for port in SystemRandom().sample(_PORTS, len(_PORTS)):
        place = (places / str(port)).open("w")
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            place.close()
        else:
            _taken.append(place)
            return port
    raise AssertionError("No port is free.")


def wait_for_port(port: int, process: "subprocess.Popen[Any]") -> None:
    """Return as soon as the process listens on the port."""
    deadline = time.monotonic() + _TIMEOUT
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"Nobody listens on port {port}; the process has status {process.poll()}.")
