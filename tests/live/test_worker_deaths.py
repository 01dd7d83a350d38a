"""Workers that die silently: whatever is killed, the work gets done, once."""

import os
import signal
from pathlib import Path

import pytest

from tests.services.clerk import errand
from tests.services.service import Service
from tests.services.worker import MANY, QUICK, delete, fill, hasten, is_alive, wait_until, working, working_slowly

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


def test_a_worker_whose_processes_hang_starts_anew(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """They live, but nothing gets done."""
    with working(prepared[0], tmp_path, **QUICK) as worker:
        hanging = worker.processes()[2:]
        for pid in hanging:
            os.kill(pid, signal.SIGSTOP)
        assert delete(patient, ["none"]).ended()["status"] == "COMPLETED"
        assert not set(hanging) & set(worker.processes())
        assert "worker_restarted" in worker.log.read_text()
        wait_until(lambda: not any(map(is_alive, hanging)), "Still alive")


@pytest.mark.contract("F2")
def test_another_worker_goes_on_where_a_killed_one_stopped(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """Two workers, of which the one that is running is killed, and a third that starts; nothing is done twice."""
    url = prepared[0]
    ids = fill(url, "killed", MANY)
    deletion = delete(patient, ids, "killed")
    with working_slowly(url, tmp_path, **QUICK) as first:
        deletion.wait_for_progress(3)
        with working_slowly(url, tmp_path, **QUICK) as second:
            first.kill()
            stopped_at = deletion.progress()["processed"]
            deletion.wait_for_progress(stopped_at + 3)
            second.kill()
    hasten(url)
    with working(url, tmp_path, **QUICK):
        outcome = deletion.ended()
    assert (outcome["status"], outcome["processed"], outcome["deleted"]) == ("COMPLETED", len(ids), len(ids))
    count = (
        "from account.models import AccountVersion; "
        "print(AccountVersion.objects.filter(repository__db_id='killed').count())"
    )
    assert int(errand(url, count)) == len(ids)
