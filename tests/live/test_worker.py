"""The worker process, on the database that the suite runs with."""

import re
import time
from pathlib import Path

import pytest

from tests.services.clerk import errand, run_command
from tests.services.service import Service
from tests.services.worker import MANY, QUICK, SLOW, delete, fill, hasten, wait_until, working, working_slowly


def test_the_worker_starts_works_and_ends_cleanly(prepared: tuple[str, str], tmp_path: Path):
    """A queued task is done, SIGTERM ends the worker with status 0, and nothing in its log is an error.

    The role of the tests owns the tables; the worker warns of that.
    """
    put = "from django_q.tasks import async_task, result; print(result(async_task('math.factorial', 20), wait=30000))"
    with working(prepared[0], tmp_path) as worker:
        assert run_command(prepared[0], "shell", "--no-imports", "-c", put).split() == ["2432902008176640000"]
        assert worker.stop() == 0
        lines = [line for line in worker.log.read_text().splitlines() if '"level": "info"' not in line]
        assert [line for line in lines if "history_rewritable" not in line] == []


@pytest.mark.contract("F3", "F4")
def test_a_deletion_runs_until_a_worker_has_done_it(prepared: tuple[str, str], service: Service, tmp_path: Path):
    """However late the worker starts."""
    ids = fill(prepared[0], "waiting", 3)
    deletion = delete(service, [*ids, "none"], "waiting")
    assert deletion.progress()["status"] == "RUNNING"
    with working(prepared[0], tmp_path):
        assert deletion.ended() == {
            "status": "COMPLETED", "requested": 4, "processed": 4, "deleted": 3, "notFound": ["none"], "error": None
        }  # fmt: skip


@pytest.mark.contract("F5")
def test_an_abort_stops_a_deletion_that_is_at_work(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """What is deleted stays deleted, and the counts show exactly how much."""
    ids = fill(prepared[0], "aborted", MANY)
    with working_slowly(prepared[0], tmp_path):
        deletion = delete(patient, ids, "aborted")
        deletion.wait_for_progress(3)
        assert patient.send("DELETE", deletion.address).status == 200
        progress = deletion.progress()
        assert progress["status"] == "ABORTED"
        assert 3 <= progress["processed"] == progress["deleted"] < len(ids)
        time.sleep(1)
        assert deletion.progress() == progress
        left = patient.send("GET", "/dimensions/v1/aborted/account/elements-count").json()
        assert left == len(ids) - progress["deleted"]


@pytest.mark.contract("F6")
def test_what_an_ending_worker_leaves_another_goes_on_with_at_once(
    prepared: tuple[str, str], patient: Service, tmp_path: Path
):
    """SIGTERM during work: status 0 between two chunks, and nobody waits until that worker counts as lost."""
    ids = fill(prepared[0], "ending", MANY)
    with working_slowly(prepared[0], tmp_path, **SLOW) as worker:
        deletion = delete(patient, ids, "ending")
        deletion.wait_for_progress(3)
        assert worker.stop() == 0
    left = deletion.progress()
    assert left["status"] == "RUNNING"
    hasten(prepared[0])
    with working(prepared[0], tmp_path, **SLOW):
        wait_until(lambda: deletion.progress()["processed"] > left["processed"], "Nobody goes on")
        assert deletion.ended()["deleted"] == len(ids)


@pytest.mark.contract("H3")
def test_readiness_reports_whether_a_worker_works(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """None, working, stopped, killed: 503 with what to do unless one works."""

    def worker_check() -> tuple[int, str]:
        answer = patient.send("GET", "/health/ready")
        return answer.status, answer.json()["checks"]["worker"]

    def becomes(status: int) -> None:
        wait_until(lambda: worker_check()[0] == status, f"Not {status}", lambda: str(worker_check()))

    delete = "from bulkops.models import Worker; Worker.objects.all().delete()"
    errand(prepared[0], delete)
    assert worker_check() == (503, "no worker runs; start one with `manage.py qcluster`")
    with working(prepared[0], tmp_path, **QUICK) as worker:
        becomes(200)
        worker.stop()
        assert worker_check() == (503, "no worker runs; start one with `manage.py qcluster`")
    with working(prepared[0], tmp_path, **QUICK) as worker:
        becomes(200)
        worker.kill()
        becomes(503)
        silent = re.fullmatch(
            r"no worker has done anything for (\d+) seconds; start one with `.+ qcluster`", worker_check()[1]
        )
        assert silent is not None
        assert int(silent[1]) >= 4
