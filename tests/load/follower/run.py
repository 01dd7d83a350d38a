"""A client follows the feed alone while all kinds of writers write and processes are killed: its copy is the list.

    DATABASE_URL=postgresql://… python -m tests.load.follower.run --rounds 200 --writers 24

In each round every writer writes twice, and in each second one a web process and the worker are killed with SIGKILL;
the client polls meanwhile. After it the copy equals the list byte for byte. `--behind` puts the service behind
PgBouncer (`pool`), or lets it read from a replica (`replica`); both need PostgreSQL's programs (Linux).
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.load.follower.copies import Copy
from tests.load.follower.writing import EXPECTED, Scene, Writer, session
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.own_pgbouncer import own_pgbouncer
from tests.services.own_postgresql import own_postgresql
from tests.services.own_replica import own_replica, patient
from tests.services.service import serving
from tests.services.worker import QUICK, RunningWorker, working

BEHIND = ("nothing", "pool", "replica")
# A round in this many has kills.
_KILLING = 2
# More connections than one process has threads, so that writers wait for the pool and not for each other only.
_POOL = 20


@dataclass
class Report:
    """What was seen; `wrong` is what may not be."""

    rounds: int = 0
    kills: int = 0
    polls: int = 0
    changes: int = 0
    elements: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        statuses = ", ".join(f"{count:,} x {status or 'no answer'}" for status, count in sorted(self.statuses.items()))
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.kinds.most_common())
        return (
            f"{self.rounds} rounds, {self.kills} kills, {self.statuses.total():,} writes ({statuses})\n"
            f"  saved: {kinds}\n"
            f"  {self.polls:,} polls with {self.changes:,} changes, {self.elements:,} elements at the end, "
            f"{len(self.wrong)} wrong"
        )


class Worker:
    """The worker, which is started again after it was killed."""

    def __init__(self, stack: ExitStack, url: str, folder: Path) -> None:
        self._start = lambda: stack.enter_context(working(url, folder, **QUICK))
        self._running: RunningWorker = self._start()

    def kill(self) -> None:
        self._running.kill()
        self._running = self._start()


@contextmanager
def scene(server_url: str, behind: str, folder: Path, accounts: int, largest: int) -> Iterator[tuple[Scene, Worker]]:
    """A service and a worker of their own, with a database on the server, or on a server that is started for them."""
    with ExitStack() as stack:
        variables = {"WEB_CONCURRENCY": "2", **QUICK}
        if behind == "replica":
            primary = stack.enter_context(own_postgresql())
            direct = url = primary.url
            key = prepare(url)
            variables["REPLICA_URL"] = patient(stack.enter_context(own_replica(primary)))
        else:
            direct = url = stack.enter_context(migrated_database(folder, server_url))
            key = prepare(url)
        if behind == "pool":
            url = stack.enter_context(own_pgbouncer(folder, direct, _POOL)).url
        service = stack.enter_context(serving(url, key, folder, **variables))
        worker = Worker(stack, url, folder)
        yield Scene(service, direct, session(direct), folder, accounts, largest), worker


def follow(scene: Scene, worker: Worker, rounds: int, writers: int, seed: int) -> Report:
    """Write, kill, and compare after each round."""
    report, random, copy = Report(), Random(seed), Copy(scene.service)
    people = [Writer(scene, f"{seed}-{number}") for number in range(writers)]
    with ThreadPoolExecutor(writers) as threads:
        for number in range(rounds):
            is_over = threading.Event()
            writes = [threads.submit(writer.write) for writer in people for _ in range(2)]
            polling = threading.Thread(target=_poll_until, args=(copy, is_over))
            polling.start()
            if number % _KILLING == _KILLING - 1:
                time.sleep(random.uniform(0, 1))
                for pid in random.sample(workers := scene.service.workers(), min(1, len(workers))):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                worker.kill()
                report.kills += 2
            for kind, status in (write.result() for write in writes):
                report.statuses[status] += 1
                report.kinds[kind] += status in (200, 201, 202, 302)
                if status not in EXPECTED:
                    report.wrong.append(f"round {number}: {kind} was answered {status}")
            is_over.set()
            polling.join()
            if difference := copy.difference():
                report.wrong.append(f"round {number}: {difference}")
            report.rounds += 1
    report.polls, report.changes, report.elements = copy.polls, copy.changes, len(copy.lines)
    return report


def _poll_until(copy: Copy, is_over: threading.Event) -> None:
    while not is_over.is_set():
        copy.poll()
        is_over.wait(0.05)


def main(rounds: int, writers: int, accounts: int, largest: int, behind: str, seed: int) -> int:
    """Follow, print what was seen, and return 0 when the copy always was the list."""
    server_url = os.environ.get("DATABASE_URL", "")
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        begin = time.monotonic()
        with scene(server_url, behind, Path(name), accounts, largest) as (place, worker):
            report = follow(place, worker, rounds, writers, seed)
    what = f"{server_url.partition(':')[0]}, behind {behind}, {writers} writers, seed {seed}"
    sys.stdout.write(f"{what}, {time.monotonic() - begin:.0f} s\n  {report}\n")
    sys.stdout.writelines(f"{line}\n" for line in report.wrong[:20])
    return 1 if report.wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.follower.run")
    for option, default in (("--rounds", 200), ("--writers", 24), ("--accounts", 6_000), ("--largest", 5_000)):
        parser.add_argument(option, type=int, default=default)
    parser.add_argument("--behind", choices=BEHIND, default="nothing")
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(main(**vars(parser.parse_args())))
