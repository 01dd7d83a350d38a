"""Twenty clients read and write while databases, connections, processes and disks fail.

    DATABASE_URL=postgresql://… python -m tests.load.chaos.faults --rounds 10 --seconds 5

does each harm that often to a service and a database of its own, on the kind of database that DATABASE_URL names, and
lets each last that many seconds; a table shows what was answered meanwhile. It ends with an error when something was
answered that may not be, or when the database does not have what was answered (Linux).
"""

import argparse
import os
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psycopg

from tests.load.chaos.small_disk import SmallDisk, small_disk
from tests.services.clerk import prepare
from tests.services.own_postgresql import OwnServer, own_postgresql
from tests.services.programs import FEW, Record, calling, discrepancies
from tests.services.service import Service, serving
from tests.services.worker import QUICK, Deletion, RunningWorker, wait_until, working

# What the disk holds, in MB: PostgreSQL's own files are large.
_SIZES = {"sqlite": 64, "postgresql": 320}
_CURRENCIES = "/api/aih/dimensions/v1/northwind/currency/elements"
_EURO = {"descriptions": {"en": "Euro"}, "decimalNumbers": 2, "percentageDifference": "0"}
_TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"


@dataclass
class Tally:
    """The responses while a failure was caused that often, and how long the service took to recover, in seconds."""

    times: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0


@dataclass
class Report:
    """The failures that were caused, and any result that must never occur."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    writes: int = 0
    deletions: int = 0
    stored_all_the_same: Counter[int] = field(default_factory=Counter)

    def __str__(self) -> str:
        lines = [f"{'':24} {'times':>5} {'2xx':>7} {'503':>6} {'no answer':>9} {'other':>6} {'back in':>9}"]
        for name, tally in self.tallies.items():
            served = sum(count for status, count in tally.statuses.items() if 200 <= status < 300)
            refused, unanswered = tally.statuses[503], tally.statuses[0]
            other = tally.statuses.total() - served - refused - unanswered
            lines.append(
                f"{name:24} {tally.times:5} {served:7,} {refused:6,} {unanswered:9,} {other:6,} {tally.slowest:7.1f} s"
            )
        summary = (
            f"{self.writes:,} answered writes and {self.deletions:,} deletions: {len(self.wrong)} errors; stored all "
            f"the same: {self.stored_all_the_same[0]} without an answer, {self.stored_all_the_same[503]} with 503"
        )
        return "\n".join([*lines, summary, *self.wrong[:20]])


class _Stage:
    """The service, its worker, its database and its disk, all of which may fail."""

    def __init__(self, folder: Path, stack: ExitStack, kind: str, random: Random) -> None:
        self.random = random
        self.disk: SmallDisk = stack.enter_context(small_disk(_SIZES[kind]))
        self.server: OwnServer | None = None
        self._folder = folder
        self._stack = stack
        if kind == "postgresql":
            self.server = stack.enter_context(own_postgresql(self.disk.folder))
            self.url = self.server.url
        else:
            # Shorter waits than in production.
            self.url = f"sqlite:///{self.disk.folder}/live.sqlite3"
        address = self.url if self.server else f"{self.url}?timeout=2"
        self._address = address
        self.service: Service = stack.enter_context(serving(address, prepare(address), folder, **QUICK))
        self.worker = self.start_worker()

    def start_worker(self) -> RunningWorker:
        """A new worker, as a supervisor starts one."""
        return self._stack.enter_context(working(self._address, self._folder, **QUICK))

    def complaint(self) -> str:
        """What does not work; nothing when an element is written, and the database and a worker are fine."""
        try:
            for method, address, body in (("PUT", f"{_CURRENCIES}/EUR", _EURO), ("GET", "/health/ready", None)):
                answer = self.service.send(method, address, body)
                if answer.status not in (200, 201):
                    return f"{method} {address}: {answer}"
        except (OSError, HTTPException) as error:
            return repr(error)
        return ""


@contextmanager
def _stopped(stage: _Stage) -> Iterator[None]:
    """The database is stopped at once, and started again."""
    assert stage.server is not None
    stage.server.stop()
    yield
    stage.server.start()


@contextmanager
def _cut(stage: _Stage) -> Iterator[None]:
    """All connections to the database are cut."""
    with psycopg.connect(stage.url, autocommit=True) as connection:
        connection.execute(_TERMINATE)
    yield


@contextmanager
def _locked(stage: _Stage) -> Iterator[None]:
    """Another program writes to the database, for longer than any timeout."""
    with closing(sqlite3.connect(stage.url.removeprefix("sqlite:///"), isolation_level=None, timeout=60)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def _web_killed(stage: _Stage) -> Iterator[None]:
    """A process of the web server is killed."""
    os.kill(stage.random.choice(stage.service.workers()), signal.SIGKILL)
    yield


@contextmanager
def _worker_killed(stage: _Stage) -> Iterator[None]:
    """The worker is killed, and started again."""
    stage.worker.kill()
    yield
    stage.worker = stage.start_worker()


@contextmanager
def _full(stage: _Stage) -> Iterator[None]:
    """Fill the disk, and free it when the block ends."""
    stage.disk.fill()
    yield
    stage.disk.free()
    if stage.server is not None and not stage.server.is_running:
        stage.server.start()


_Harm = Callable[[_Stage], AbstractContextManager[None]]
_OF_ALL: Mapping[str, _Harm] = {"web process killed": _web_killed, "worker killed": _worker_killed, "disk full": _full}
HARMS: Mapping[str, Mapping[str, _Harm]] = {
    "postgresql": {"database stopped": _stopped, "connections cut": _cut, **_OF_ALL},
    "sqlite": {"database locked": _locked, **_OF_ALL},
}


# Must be noticed, however short it is: a writer gets 503 meanwhile.
_FELT = {"database stopped", "database locked", "disk full"}


def suffer(kind: str, folder: Path, random: Random, rounds: int, seconds: float, writes: int = 0) -> Report:
    """Cause each failure that often, while clients continue, and compare what they were answered with what is stored.

    They do not end before that many `writes` were answered.
    """
    report = Report()
    with ExitStack() as stack:
        stage = _Stage(folder, stack, kind, random)
        with calling(stage.service) as record:
            harms = [(name, harm) for name, harm in HARMS[kind].items() for _ in range(rounds)]
            random.shuffle(harms)
            for name, harm in harms:
                tally = report.tallies.setdefault(name, Tally())
                _do(harm, stage, record, tally, seconds, is_felt=name in _FELT)
            wait_until(lambda: _answered(record) >= writes, "Too little is written")
        report.deletions = len(record.deletions)
        for address in record.deletions:
            outcome = Deletion(stage.service, address).ended()
            if (outcome["status"], outcome["deleted"]) != ("COMPLETED", FEW):
                record.wrong.append(f"{address}: {outcome}")
        report.wrong = discrepancies(stage.url, record)
        report.stored_all_the_same = record.stored_all_the_same
        report.writes = _answered(record)
    return report


def _answered(record: Record) -> int:
    return sum(write.status in (200, 201) for write in list(record.writes))


def _do(harm: _Harm, stage: _Stage, record: Record, tally: Tally, seconds: float, *, is_felt: bool) -> None:
    time.sleep(0.5)
    record.statuses = Counter()
    with harm(stage):
        time.sleep(seconds)
        if is_felt:
            wait_until(lambda: record.statuses[503] > 0, f"Nobody feels it: {harm.__doc__}")
    begin = time.monotonic()
    wait_until(lambda: not stage.complaint(), f"Not served after {harm.__doc__}", stage.complaint)
    tally.slowest = max(tally.slowest, time.monotonic() - begin)
    tally.times += 1
    tally.statuses += record.statuses


def main(rounds: int, seconds: float, seed: int) -> int:
    """Cause all failures, print the table, and return 0 when nothing is wrong."""
    kind = "postgresql" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "sqlite"
    with TemporaryDirectory() as name:
        report = suffer(kind, Path(name), Random(seed), rounds, seconds)
    sys.stdout.write(f"{kind}, seed {seed}\n{report}\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.chaos.faults")
    for option, kind, default in (("--rounds", int, 5), ("--seconds", float, 4.0), ("--seed", int, 1)):
        parser.add_argument(option, type=kind, default=default)
    sys.exit(main(**vars(parser.parse_args())))
