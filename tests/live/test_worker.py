"""The worker process, on the database that the suite runs with."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.live.service import PROJECT, environment, manage, stop

_PATIENCE = 60


@pytest.fixture
def worker(prepared: tuple[str, str], tmp_path: Path):
    """A running `manage.py qcluster`, with the file that has its log."""
    log = tmp_path / "worker.log"
    command = [sys.executable, str(PROJECT / "manage.py"), "qcluster"]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=tmp_path, env=environment(prepared[0]), stderr=output) as process,
    ):
        try:
            yield process, log
        finally:
            if process.poll() is None:
                stop(process)


def wait_for(event: str, log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while event not in log.read_text():
        assert time.monotonic() < deadline, f"The worker's log has no {event!r}:\n{log.read_text()}"
        time.sleep(0.05)


def test_the_worker_starts_works_and_ends_cleanly(worker, prepared: tuple[str, str]):
    """A queued task is done, SIGTERM ends the worker with status 0, and nothing in its log is an error."""
    process, log = worker
    wait_for("running.", log)
    put = "from django_q.tasks import async_task, result; print(result(async_task('math.factorial', 20), wait=30000))"
    assert manage(prepared[0], "shell", "--no-imports", "-c", put).split() == ["2432902008176640000"]

    assert stop(process) == 0
    levels = [line for line in log.read_text().splitlines() if '"level": "info"' not in line]
    assert levels == []
