"""Deletions whose workers are killed, which are aborted, and which overlap, at random moments.

    DATABASE_URL=postgresql://… python -m tests.load.chaos.deletion

runs the long form with the settings of production, prints what it saw and ends by itself, after about 20 minutes.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.services.clerk import errand, prepare
from tests.services.database import migrated_database
from tests.services.service import Service, serving
from tests.services.worker import Deletion, RunningWorker, delete, fill, working

# For how long a deletion of the chaos may take, in seconds.
_TIMEOUT = 300
_UNKNOWN = [f"unknown {number}" for number in range(7)]


@dataclass
class Report:
    """What was seen."""

    kills: int = 0
    # From each kill in a running deletion to the next progress by another worker, in seconds.
    takeovers: list[float] = field(default_factory=list)
    completed: int = 0


def remaining(database_url: str, db_id: str) -> tuple[int, int]:
    """How many accounts the repository has, and how many rows of the history record a deletion."""
    code = (
        "from account.models import Account as A, AccountVersion as V; "
        f"print(A.objects.filter(repository__db_id={db_id!r}).count(), "
        f"V.objects.filter(repository__db_id={db_id!r}, change='-').count())"
    )
    left, deleted = errand(database_url, code).split()
    return int(left), int(deleted)


def kill_workers(
    service: Service, folder: Path, url: str, random: Random, *, kills: int, count: int, **variables: str
) -> Report:
    """Delete `count` accounts again and again with two workers, and kill one now and then; see that all is done.

    A kill ends the whole worker or one of its processes. The worker that is gone is started again after the takeover.
    """
    report = Report()
    deleted_before = 0
    with ExitStack() as stack:
        workers = [stack.enter_context(working(url, folder, **variables)) for _ in range(2)]
        while report.kills < kills:
            ids = fill(url, "chaos", count)
            deletion = delete(service, [*ids, *_UNKNOWN], "chaos")
            for _ in range(random.randint(1, 3)):
                time.sleep(random.uniform(0.02, 0.5))
                if deletion.progress()["status"] != "RUNNING" or report.kills == kills:
                    break
                victim = random.randrange(2)
                _kill(workers[victim], random)
                report.kills += 1
                report.takeovers.append(_seconds_to_progress(deletion))
                if workers[victim].process.poll() is not None:
                    workers[victim] = stack.enter_context(working(url, folder, **variables))
            outcome = deletion.ended(_TIMEOUT)
            assert outcome == {
                "status": "COMPLETED",
                "requested": count + len(_UNKNOWN),
                "processed": count + len(_UNKNOWN),
                "deleted": count,
                "notFound": _UNKNOWN,
                "error": None,
            }, outcome
            assert remaining(url, "chaos") == (0, deleted_before + count)
            deleted_before += count
            report.completed += 1
    return report


def _kill(worker: RunningWorker, random: Random) -> None:
    """Kill the whole worker, or one of its processes."""
    processes = worker.processes()
    if random.random() < 0.5 or len(processes) < 2:
        worker.kill()
    else:
        os.kill(random.choice(processes[1:]), signal.SIGKILL)


def _seconds_to_progress(deletion: Deletion) -> float:
    start = time.monotonic()
    before = deletion.progress()["processed"]
    while (progress := deletion.progress())["status"] == "RUNNING" and progress["processed"] == before:
        assert time.monotonic() < start + _TIMEOUT, progress
        time.sleep(0.02)
    return time.monotonic() - start


def abort_at_random(service: Service, url: str, random: Random, *, times: int, count: int) -> list[int]:
    """Abort deletions of `count` accounts at random moments; return how many each had deleted.

    A worker has to run. After the answer to an abort nothing more is deleted, and the counts show what is gone.
    """
    stopped_at = []
    deleted_before = 0
    for _ in range(times):
        ids = fill(url, "stopped", count)
        deletion = delete(service, ids, "stopped")
        time.sleep(random.uniform(0, 0.6))
        answer = service.send("DELETE", deletion.address)
        progress = deletion.progress()
        left, deleted = remaining(url, "stopped")
        assert (answer.status, progress["status"]) in {(200, "ABORTED"), (400, "COMPLETED")}, (answer, progress)
        assert progress["deleted"] == progress["processed"] == count - left == deleted - deleted_before, progress
        assert deletion.progress() == progress
        deleted_before = deleted
        stopped_at.append(progress["deleted"])
    return stopped_at


def overlap(service: Service, url: str, random: Random, *, deletions: int, count: int) -> int:
    """Have as many deletions at once, each of about half of `count` accounts; return how many were deleted in all.

    A worker has to run. Each element is deleted and counted once.
    """
    ids = fill(url, "overlapping", count)
    parts = [random.sample(ids, count // 2) for _ in range(deletions)]
    running = [delete(service, part, "overlapping") for part in parts]
    outcomes = [deletion.ended(_TIMEOUT) for deletion in running]
    assert all(each["status"] == "COMPLETED" for each in outcomes), outcomes
    gone = len(set().union(*parts))
    assert sum(each["deleted"] for each in outcomes) == gone
    assert remaining(url, "overlapping") == (count - gone, gone)
    return gone


def main(words: Sequence[str]) -> None:
    """Run the long form, with the seed that is given or a new one."""
    seed = int(words[0]) if words else time.time_ns() % 1_000_000
    random = Random(seed)
    with (
        TemporaryDirectory() as folder,
        migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
        serving(url, prepare(url), Path(folder)) as service,
    ):
        kind = url.partition(":")[0]
        _print(f"{kind}, seed {seed}")
        report = kill_workers(service, Path(folder), url, random, kills=20, count=20_000)
        _print(
            f"{report.kills} kills over {report.completed} deletions of 20,000: all completed, all gone, one row of "
            f"the history each; take-over after {max(report.takeovers):.1f} s at most, "
            f"{sorted(report.takeovers)[len(report.takeovers) // 2]:.1f} s in the median"
        )
    with (
        TemporaryDirectory() as folder,
        migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
        serving(url, prepare(url), Path(folder), DELETION_CHUNK_SIZE="20") as service,
        working(url, Path(folder)),
    ):
        stopped_at = abort_at_random(service, url, random, times=50, count=2_000)
        _print(f"{len(stopped_at)} aborts: counts true each time; stopped after {sorted(stopped_at)} of 2,000")
        gone = overlap(service, url, random, deletions=10, count=5_000)
        _print(f"10 deletions at once: {gone:,} elements deleted and counted once")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
