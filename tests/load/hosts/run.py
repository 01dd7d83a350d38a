"""Hosts fail while twenty clients read, write and delete; nothing that was answered is lost or done twice.

    python -m tests.load.hosts.run --seconds 4

builds the hosts, measures what reading takes with one and with two web servers, causes each failure for that many
seconds, and compares what was answered with what is stored. It ends with 1 when something is wrong. Nothing is left
of the hosts, however it ends (Linux, root).
"""

import argparse
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import psycopg

from tests.load.hosts.capacity import Load, load
from tests.load.hosts.estate import Estate, estate
from tests.load.hosts.network import ALONE, bury_the_dead
from tests.services.bulk_state import rows
from tests.services.programs import FEW, Record, calling, discrepancies
from tests.services.service import Service
from tests.services.worker import Deletion, delete, fill, wait_until

_CURRENCIES = "/api/aih/dimensions/v1/northwind/currency/elements"
_EURO = {"descriptions": {"en": "Euro"}, "decimalNumbers": 2, "percentageDifference": "0"}
_LISTED = 1_000
_READ = {
    "one element": f"{_CURRENCIES}/EUR",
    f"list of {_LISTED:,} accounts": "/dimensions/v1/listed/account/elements",
}
# Accounts that are deleted in the background while their worker is cut off, in several chunks.
_MANY = 8_000
# A host that is cut off keeps its locks for a minute at most.
_TIMEOUT = 120
_COUNTS = "SELECT (SELECT count(*) FROM account_account), (SELECT count(*) FROM account_accountversion)"
_CLAIMED = "SELECT claimed_by FROM bulkops_dataprocessing WHERE oid = %s"
_PROGRESS = "SELECT status, deleted FROM bulkops_dataprocessing WHERE oid = %s"
_LAST_OF_THEM = (
    "SELECT 1 FROM account_account AS stored JOIN repositories_repository AS repository "
    "ON repository.id = stored.repository_id WHERE db_id = 'leaving' AND element_id = %s FOR UPDATE OF stored"
)
_DELETED = (
    "SELECT count(*) FROM account_accountversion AS version JOIN repositories_repository AS repository "
    "ON repository.id = version.repository_id WHERE db_id = 'leaving' AND change = '-'"
)
_IDLE = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%'"


@dataclass
class Report:
    """What was seen: what reading takes; for each harm what was answered, and how many seconds it took until all was
    served again; and what may not be."""

    loads: dict[str, Load] = field(default_factory=dict)
    harms: dict[str, tuple[Counter[int], float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    writes: int = 0
    deletions: int = 0

    def __str__(self) -> str:
        lines = [f"{what:40}{taken}" for what, taken in self.loads.items()]
        lines.append(f"{'':34}{'2xx':>7}{'503':>6}{'no answer':>11}{'back in':>10}")
        for name, (statuses, seconds) in self.harms.items():
            served = sum(count for status, count in statuses.items() if 200 <= status < 300)
            lines.append(f"{name:34}{served:7,}{statuses[503]:6,}{statuses[0]:11,}{seconds:8.1f} s")
        summary = f"{self.writes:,} answered writes and {self.deletions:,} deletions, {len(self.wrong)} errors"
        return "\n".join([*lines, summary, *self.wrong[:20]])


def main(folder: Path, seconds: float, measured: float, pause: float, lost_after: int | None) -> int:
    """Do everything with files in the empty folder, print the report, and return 0 when nothing is wrong."""
    pool = {} if lost_after is None else _impatient(lost_after)
    with estate(folder, **pool) as all_hosts:
        report = suffer(all_hosts, seconds, measured, pause)
    sys.stdout.write(f"{report}\n")
    return 1 if report.wrong else 0


def _impatient(seconds: int) -> dict[str, int]:
    """The settings of PgBouncer with which a host that does not answer is lost so much sooner."""
    return {"tcp_user_timeout": seconds * 1_000, "tcp_keepidle": seconds, "tcp_keepintvl": 1}


def suffer(built: Estate, seconds: float, measured: float, pause: float) -> Report:
    """Measure, cause all failures while clients continue, and compare what they were answered with what is stored."""
    report, log = Report(), sys.stderr
    wait_until_served(built.front)
    _measure(built, report, measured)
    with calling(built.front, pause) as record:
        for name, harm in _HARMS.items():
            log.write(f"{name} …\n")
            record.statuses = Counter()
            with harm(built, report):
                time.sleep(seconds)
            begin = time.monotonic()
            wait_until_served(built.front)
            report.harms[name] = (record.statuses, time.monotonic() - begin)
    _compare(built, record, report)
    return report


def _measure(built: Estate, report: Report, seconds: float) -> None:
    ids = fill(built.url, "listed", _LISTED)
    for count in (2, 1):
        if count == 1:
            built.hosts["web2"].kill()
        for what, address in _READ.items():
            load(built, address, seconds / 3)  # the first calls take longer
            report.loads[f"{what}, {count} web"] = load(built, address, seconds)
    built.start("web2")
    # They have no history that could be compared.
    delete(built.front, ids, "listed").ended(_TIMEOUT)


def _compare(built: Estate, record: Record, report: Report) -> None:
    for address in record.deletions:
        outcome = Deletion(built.front, address).ended(_TIMEOUT)
        if (outcome["status"], outcome["deleted"]) != ("COMPLETED", FEW):
            report.wrong.append(f"{address}: {outcome}")
    report.writes = sum(write.status in (200, 201) for write in record.writes)
    report.deletions += len(record.deletions)
    report.wrong += discrepancies(built.url, record)
    stored = rows(built.url, _COUNTS)
    wait_until(lambda: rows(built.replica_url, _COUNTS) == stored, "The replica lacks something", timeout=_TIMEOUT)
    if rows(built.url, _IDLE) != [(0,)]:
        report.wrong.append("a transaction is left open")


def wait_until_served(service: Service) -> None:
    """Return as soon as an element is written and read, and database and worker work, three times in a row."""

    def complaint() -> str:
        for method, address, body in (
            ("PUT", f"{_CURRENCIES}/EUR", _EURO), ("GET", f"{_CURRENCIES}/EUR", None), ("GET", "/health/ready", None)
        ):  # fmt: skip
            try:
                answer = service.send(method, address, body)
            except (OSError, HTTPException) as error:
                return repr(error)
            if answer.status not in (200, 201):
                return f"{method} {address}: {answer}"
        return ""

    for _ in range(3):
        wait_until(lambda: not complaint(), "Not served", complaint, _TIMEOUT)


# --- What happens to hosts -------------------------------------------------------------------------

Harm: TypeAlias = Callable[[Estate, Report], AbstractContextManager[None]]


def _killed(name: str) -> Harm:
    @contextmanager
    def harm(built: Estate, report: Report) -> Iterator[None]:
        built.hosts[name].kill()
        yield
        built.start(name)

    return harm


def _cut_off(name: str) -> Harm:
    @contextmanager
    def harm(built: Estate, report: Report) -> Iterator[None]:
        built.hosts[name].cut()
        yield
        built.hosts[name].join()

    return harm


@contextmanager
def _deleting_worker_cut_off(built: Estate, report: Report) -> Iterator[None]:
    """The worker that is just deleting is cut off for good; the other one has to continue, and delete the rest.

    The database is asked how far it is: while the locks of the lost worker are kept, clients may wait for long.
    """
    ids = fill(built.url, "leaving", _MANY)
    with psycopg.connect(built.url) as other:
        # It does not end before, however long it takes to cut off its worker.
        other.execute(_LAST_OF_THEM, [ids[-1]])
        oid = delete(built.front, ids, "leaving").address.rpartition("/")[2]

        def progress() -> tuple[object, ...]:
            return rows(built.url, _PROGRESS, oid)[0]

        wait_until(lambda: progress()[1] != 0, "Nothing is deleted")
        ((claimed_by,),) = rows(built.url, _CLAIMED, oid)
        lost = built.hosts[claimed_by.partition(":")[0]]
        lost.cut()
        if progress()[0] != "RUNNING":
            report.wrong.append(f"the deletion had ended before its worker was cut off: {progress()}")
        other.rollback()
    yield
    wait_until(
        lambda: progress()[0] != "RUNNING", "Nobody goes on with the deletion", lambda: str(progress()), _TIMEOUT
    )
    if progress() != ("COMPLETED", _MANY):
        report.wrong.append(f"the deletion whose worker was cut off: {progress()}")
    ((versions,),) = rows(built.url, _DELETED)
    if versions != _MANY:
        report.wrong.append(f"{versions} instead of {_MANY} accounts were deleted")
    report.deletions += 1
    lost.join()


# Not one web server after the other: nginx avoids one that did not answer for ten seconds.
_HARMS: Mapping[str, Harm] = {
    "nothing": lambda built, report: nullcontext(),
    "worker cut off while it deletes": _deleting_worker_cut_off,
    "web server killed": _killed("web1"),
    "worker killed": _killed("worker2"),
    "replica killed": _killed("replica"),
    "replica cut off": _cut_off("replica"),
    "web server cut off": _cut_off("web2"),
    "Redis killed": _killed("redis"),
    "Redis cut off": _cut_off("redis"),
    "PgBouncer killed": _killed("pgbouncer"),
    "PgBouncer cut off": _cut_off("pgbouncer"),
    "primary killed": _killed("primary"),
}


def alone(module: str, words: Sequence[str]) -> int:
    """Run the module within namespaces of its own, whose processes all end with the first; return its status.

    Then what they have written is removed.
    """
    # As when somebody presses Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with TemporaryDirectory() as folder:
        command = [*ALONE, sys.executable, "-m", module, *words, "--alone", folder]
        with subprocess.Popen(command) as process:
            try:
                return process.wait()
            finally:
                process.kill()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.hosts.run")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--measured", type=float, help="seconds of each measurement; without it those of --seconds")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between the calls of each program")
    parser.add_argument(
        "--lost-after", type=int, help="seconds after which PgBouncer gives up a host; a minute without"
    )
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone is None:
        sys.exit(alone("tests.load.hosts.run", sys.argv[1:]))
    bury_the_dead()
    measured = chosen.seconds if chosen.measured is None else chosen.measured
    sys.exit(main(chosen.alone, chosen.seconds, measured, chosen.pause, chosen.lost_after))
