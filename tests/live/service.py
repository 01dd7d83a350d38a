"""The service as operators run it: real processes, a real port, a database of its own."""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
# Nothing that runs on a developer's machine may decide how the service under test runs.
_UNSET = (
    *("BIND", "PORT", "TLS_BIND", "TLS_CERTFILE", "TLS_KEYFILE", "GUNICORN_CMD_ARGS", "TRUSTED_PROXIES"),
    *("URL_PREFIX", "CORS_ALLOWED_ORIGINS", "LOG_FORMAT", "LOG_LEVEL", "DEBUG", "API_AUTHENTICATION"),
    *("IDP_ISSUER", "IDP_AUDIENCE", "IDP_JWKS_URL", "IDP_USER_CLAIM", "IDP_ALGORITHMS"),
)
_PATH = os.pathsep.join([str(PROJECT / "tests" / "live" / "as_installed"), str(PROJECT)])
_PATIENCE = 60


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
    """A running gunicorn: `pid` is its master, `log` what it has written.

    With the file of its `certificate` it is called over https.
    """

    port: int
    pid: int
    key: str
    log: Path
    certificate: str = ""
    host: str = "127.0.0.1"

    @property
    def address(self) -> str:
        """Where it is."""
        return f"{'https' if self.certificate else 'http'}://{self.host}:{self.port}"

    def connect(self) -> HTTPConnection:
        """A new connection to it."""
        if self.certificate:
            context = ssl.create_default_context(cafile=self.certificate)
            return HTTPSConnection(self.host, self.port, timeout=_PATIENCE, context=context)
        return HTTPConnection(self.host, self.port, timeout=_PATIENCE)

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

    def read_through(self, address: str) -> int:
        """Read the answer to a GET piece by piece, keeping none; return its length in bytes."""
        connection = self.connect()
        try:
            connection.request("GET", address, headers={"X-API-Key": self.key})
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
    return {**inherited, "DATABASE_URL": database_url, "PYTHONPATH": _PATH, **variables}


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
def serving(database_url: str, key: str, folder: Path, **variables: str) -> Iterator[Service]:
    """Gunicorn with the project's configuration, until the block ends; its log is a file in `folder`."""
    port = free_port()
    log = folder / "gunicorn.log"
    command = [sys.executable, "-m", "gunicorn", "-c", str(PROJECT / "gunicorn.conf.py"), "dimensions_site.wsgi"]
    variables = {"PORT": str(port), **variables}
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=folder, env=environment(database_url, **variables), stderr=output) as process,
    ):
        try:
            wait_for_port(port, process)
            service = Service(port, process.pid, key, log)
            service.send("GET", "/health/live")  # the port is open before there is a process that answers
            yield service
        finally:
            stop(process)


def stop(process: "subprocess.Popen[Any]", number: signal.Signals = signal.SIGTERM) -> int:
    """End a process by a signal and return its status; it is killed when it does not end in time."""
    process.send_signal(number)
    try:
        return process.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, process: "subprocess.Popen[Any]") -> None:
    """Return as soon as the process listens on the port."""
    deadline = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"Nobody listens on port {port}; the process has status {process.poll()}.")
