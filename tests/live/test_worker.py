"""The worker process, on the database that the suite runs with."""

import re
from pathlib import Path

import pytest

from tests.services.clerk import errand, run_command
from tests.services.service import Service
from tests.services.worker import QUICK, delete, fill, wait_until, working


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
