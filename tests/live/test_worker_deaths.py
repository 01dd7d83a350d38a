"""Workers that die silently: whatever is killed, the work gets done, once."""

import os
import signal
from pathlib import Path

import pytest

from tests.services.service import Service
from tests.services.worker import QUICK, delete, is_alive, wait_until, working

pytestmark = [
    pytest.mark.contract("F6"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the processes in /proc"),
]


def test_no_process_outlives_the_first_one(prepared: tuple[str, str], tmp_path: Path):
    """They would continue unwatched, and with each restart there would be more."""
    with working(prepared[0], tmp_path) as worker:
        wait_until(lambda: len(worker.processes()) == 6, "Not complete", lambda: str(worker.processes()))
        others = worker.processes()[1:]
        os.kill(worker.process.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, others)), "Still alive", lambda: str(list(filter(is_alive, others))))


def test_whichever_process_is_killed_deletions_are_done(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """Each of them in turn, while there is nothing to do: some then hold a lock that nobody else can get."""
    with working(prepared[0], tmp_path, **QUICK) as worker:
        for position in range(1, 6):
            wait_until(lambda: len(worker.processes()) == 6, "Not complete", lambda: str(worker.processes()))
            os.kill(worker.processes()[position], signal.SIGKILL)
            for _ in range(2):
                assert delete(patient, ["none"]).ended()["status"] == "COMPLETED"
        assert worker.stop() == 0


def test_a_worker_whose_processes_hang_starts_again(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """They live, but nothing gets done."""
    with working(prepared[0], tmp_path, **QUICK) as worker:
        hanging = worker.processes()[2:]
        for pid in hanging:
            os.kill(pid, signal.SIGSTOP)
        assert delete(patient, ["none"]).ended()["status"] == "COMPLETED"
        assert not set(hanging) & set(worker.processes())
        assert "worker_restarted" in worker.log.read_text()
        wait_until(lambda: not any(map(is_alive, hanging)), "Still alive")
