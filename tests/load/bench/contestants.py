"""The three that are measured: each behind the web server that the service is shipped with, two processes each."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

from tests.load.bench import load
from tests.load.bench.addresses import ADDRESSES, MEASURED, MEDIA_TYPES, Addresses, Name
from tests.services.service import PROJECT, environment, free_port, stop, wait_for_port

_APPLICATIONS = {
    Name.FLOOR: "tests.load.bench.floor",
    Name.SERVICE: "dimensions_site.wsgi",
    Name.PLAIN: "tests.load.bench.plain.wsgi",
}
_TIMEOUT = 600


@dataclass(frozen=True)
class Contestant:
    """One of them, running: `pid` is the master of its web server, `credentials` are the headers that let one in."""

    name: Name
    port: int
    pid: int
    credentials: Mapping[str, str] = field(repr=False)

    @property
    def addresses(self) -> Addresses:
        """Its paths for the measured requests."""
        return ADDRESSES[self.name]

    def reading(self, what: str, tenant: str = MEASURED, *, id: str = "", offset: int = 0, last: bool = False) -> bytes:
        """The request that reads what is called so; the last one of its connection, or not."""
        headers = {"Accept": MEDIA_TYPES.get(what, "application/json"), **self.credentials}
        return load.request("GET", self.addresses.of(what, tenant, id=id, offset=offset), headers, last=last)

    def patching(self, tenant: str, id: str, changes: bytes) -> bytes:
        """The request that changes one account, on a connection that is kept."""
        return load.request("PATCH", self.addresses.of("one", tenant, id=id), self.credentials, changes)

    def saving(self, tenant: str, body: bytes) -> bytes:
        """The request that saves many accounts, the last one of its connection."""
        return load.request("POST", self.addresses.of("bulk", tenant), self.credentials, body, last=True)

    def call(self, method: str, path: str, body: bytes = b"", accept: str = "application/json") -> bytes:
        """Do one request, not to be timed; return the body of its answer, which has to be 2xx."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT)
        try:
            headers = {"Accept": accept, "Content-Type": "application/json", **self.credentials}
            connection.request(method, path, body or None, headers)
            response = connection.getresponse()
            content = response.read()
            assert 200 <= response.status < 300, content[:2_000]
            return content
        finally:
            connection.close()

    def header(self, name: str, path: str) -> str:
        """Return the header that it answers to a GET of that path."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT)
        try:
            connection.request("GET", path, headers=dict(self.credentials))
            response = connection.getresponse()
            response.read()
            return response.headers[name]
        finally:
            connection.close()

    def answer(self, what: str, tenant: str = MEASURED, *, id: str = "", offset: int = 0) -> bytes:
        """The body that it answers to the request that reads what is called so."""
        path = self.addresses.of(what, tenant, id=id, offset=offset)
        return self.call("GET", path, accept=MEDIA_TYPES.get(what, "application/json"))


@contextmanager
def running(
    name: Name, database_url: str, credentials: Mapping[str, str], folder: Path, **variables: str
) -> Iterator[Contestant]:
    """That contestant with that database, until the block ends; its log is a file in `folder`."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", str(PROJECT / "gunicorn.conf.py"), _APPLICATIONS[name]]
    given = environment(database_url, **{"PORT": str(port), "WEB_CONCURRENCY": "2", **variables})
    with (
        (folder / f"{name}-{port}.log").open("wb") as output,
        subprocess.Popen(command, cwd=folder, env=given, stderr=output) as process,
    ):
        try:
            wait_for_port(port, process)
            yield Contestant(name, port, process.pid, credentials)
        finally:
            stop(process)
