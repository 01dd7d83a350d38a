"""A separate PostgreSQL server in a temporary folder, which a test may stop abruptly."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.services.service import free_port


@dataclass(frozen=True)
class OwnServer:
    """A server in `folder`, with its programs in `programs`; `url` is the address of its database `postgres`."""

    programs: Path
    folder: str
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start, and wait until connections are taken: after a hard stop, when the log is replayed."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._control("start", "--log", f"{self.folder}/log", "--wait", "--options", options)

    def stop(self, mode: str = "immediate") -> None:
        """Stop; `immediate` ends all processes without notice, as a crash does."""
        self._control("stop", "--mode", mode, "--wait")

    @property
    def is_running(self) -> bool:
        """Whether it runs; one that finds no room for its log ends by itself."""
        command = [str(self.programs / "pg_ctl"), "status", "--pgdata", f"{self.folder}/data", "--silent"]
        return subprocess.run([*as_user(), *command], cwd="/", check=False, stdout=subprocess.DEVNULL).returncode == 0

    def _control(self, action: str, *options: str) -> None:
        run([str(self.programs / "pg_ctl"), action, "--pgdata", f"{self.folder}/data", "--silent", *options])


@contextmanager
def own_postgresql(place: Path | None = None) -> Iterator[OwnServer]:
    """A running server, until the block ends; its folder is in that place, where all may write, or where others are.

    Without the programs the test is skipped, and fails in CI.
    """
    where = [] if place is None else ["-p", str(place)]
    server = OwnServer(server_programs(), run(["mktemp", "-d", *where]).strip(), free_port())
    try:
        data = ("--pgdata", f"{server.folder}/data", "--username", "postgres", "--auth", "trust", "--no-sync")
        run([str(server.programs / "initdb"), *data, "--encoding", "UTF8", "--locale", "C.UTF-8"])
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        run(["rm", "-rf", server.folder])


def server_programs() -> Path:
    """The folder of initdb and pg_ctl: that of the newest version of Debian's packages, or on the PATH."""
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    found = str(packaged[-1]) if packaged else shutil.which("initdb")
    if found is None:
        message = "initdb is missing: install the package postgresql, or put its programs on the PATH"
        if os.environ.get("CI") == "true":
            raise AssertionError(message)
        pytest.skip(message)
    return Path(found).parent


def run(command: Sequence[str]) -> str:
    """Run a program as a user under whom PostgreSQL runs, which is not root; return what it printed."""
    # The server keeps what it inherits: a pipe would not be at its end before the server is.
    detached = subprocess.DEVNULL if "start" in command else subprocess.PIPE
    done = subprocess.run([*as_user(), *command], cwd="/", check=True, stdout=detached, encoding="utf-8")
    return done.stdout or ""


def as_user() -> list[str]:
    """Words that start the command behind them as that user."""
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
