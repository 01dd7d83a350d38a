"""The worker as operators run it, and what may happen to it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.services.clerk import errand
from tests.services.service import PROJECT, Service, environment, stop

_TIMEOUT = 60
# Where the end of a worker is what is tested, nobody has to wait for half a minute.
QUICK = {"WORKER_LOST_AFTER_SECONDS": "3"}
# In other tests no worker counts as lost: they end before that.
SLOW = {"WORKER_LOST_AFTER_SECONDS": "600"}
# Chunks of a deletion in slow motion, for a minute at least.
MANY = 500


@dataclass(frozen=True)
class RunningWorker:
    """A running `manage.py qcluster`: its first process, which leads a group of its own, and its log."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def processes(self) -> list[int]:
        """The ids of its processes, each parent before its children (Linux).

        The first watches, the second starts and guards the others, which read the queue, work and keep the results.
        """
        found = [self.process.pid]
        for pid in found:
            found += _children(pid)
        return found

    def kill(self) -> None:
        """End all processes at once, as a power cut does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(_TIMEOUT)

    def stop(self) -> int:
        """Ask it to end; return its status."""
        return stop(self.process)

    def wait_for(self, event: str) -> None:
        """Return as soon as the event is in its log."""
        wait_until(lambda: event in self.log.read_text(), f"The log has no {event!r}", self.log.read_text)


def working(database_url: str, folder: Path, **variables: str) -> AbstractContextManager[RunningWorker]:
    """A worker until the block ends, as soon as it has started; its log is a file in `folder`."""
    return _started([str(PROJECT / "manage.py"), "qcluster"], database_url, folder, variables)


def working_slowly(database_url: str, folder: Path, **variables: str) -> AbstractContextManager[RunningWorker]:
    """The same in slow motion, as `tests.services.slow_worker` describes."""
    return _started(["-m", "tests.services.slow_worker"], database_url, folder, variables)


@contextmanager
def _started(
    words: Sequence[str], database_url: str, folder: Path, variables: Mapping[str, str]
) -> Iterator[RunningWorker]:
    log = folder / f"worker-{time.monotonic_ns()}.log"
    command = [sys.executable, *words]
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, cwd=folder, env=environment(database_url, **variables), stderr=output, start_new_session=True
        ) as process,
    ):
        worker = RunningWorker(process, log)
        try:
            worker.wait_for("worker_started")
            yield worker
        finally:
            with suppress(ProcessLookupError):
                worker.kill()


@dataclass(frozen=True)
class Deletion:
    """A deletion of accounts that was requested."""

    service: Service
    address: str

    def progress(self) -> dict[str, Any]:
        """Status and counts."""
        (deletion,) = self.service.send("GET", self.address).json()
        (parameters,) = deletion["parameters"]
        return {"status": deletion["status"], **parameters}

    def ended(self, timeout: float = _TIMEOUT) -> dict[str, Any]:
        """Status and counts as soon as it has ended."""
        wait_until(
            lambda: self.progress()["status"] != "RUNNING", "Still running", lambda: str(self.progress()), timeout
        )
        return self.progress()

    def wait_for_progress(self, processed: int) -> None:
        """Return as soon as that many ids are processed; it must not have ended by then."""
        wait_until(lambda: self.progress()["processed"] >= processed, "No progress", lambda: str(self.progress()))
        assert self.progress()["status"] == "RUNNING"


def delete(service: Service, ids: Sequence[str], db_id: str = "northwind") -> Deletion:
    """Ask for the deletion of accounts."""
    address = f"/dimensions/v1/{db_id}/account/elements-bulk-delete-async"
    answer = service.send("POST", address, [{"id": id} for id in ids])
    assert answer.status == 202, answer.body
    return Deletion(service, f"{address}/{answer.json()['dataProcessingId']}")


def fill(database_url: str, db_id: str, count: int) -> list[str]:
    """Bring the accounts of the repository, new or not, up to that many; return their ids."""
    errand(database_url, f"from tests.services.big_accounts import fill; fill({db_id!r}, {count})")
    return [f"{number:07}" for number in range(count)]


def hasten(database_url: str) -> None:
    """Let deletions do their remaining work in one chunk; no worker runs them meanwhile."""
    errand(database_url, "from tests.services.joined_chunks import join; join()")


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and is not waited for does not (Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def alive_in(session: int) -> list[str]:
    """The processes of that session, by their line in /proc (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            line = stat.read_text()
            state, _, _, own_session = line.rpartition(")")[2].split()[:4]
            if int(own_session) == session and state != "Z":
                found.append(line)
    return found


def wait_until(
    holds: Callable[[], bool], complaint: str, detail: Callable[[], str] = str, timeout: float = _TIMEOUT
) -> None:
    """Return as soon as it `holds`."""
    deadline = time.monotonic() + timeout
    while not holds():
        assert time.monotonic() < deadline, f"{complaint}: {detail()}"
        time.sleep(0.05)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
