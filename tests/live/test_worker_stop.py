"""SIGTERM to the worker, again and again: it ends between two steps, and the next one continues at once."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.live.test_import_deaths import COUNT, printed_by
from tests.load.chaos.deletion import remaining
from tests.services.bulk_state import rows
from tests.services.service import Service, serving
from tests.services.worker import MANY, SLOW, delete, fill, hasten, wait_until, working, working_slowly

STOPS = 2
# It counts as lost after the end of the test, and waits for a lock no longer than two seconds at a time.
QUICKER = {"WORKER_LOST_AFTER_SECONDS": "12"}


@pytest.fixture
def url(prepared: tuple[str, str]) -> str:
    return prepared[0]


@pytest.fixture
def locked(url: str) -> Iterator[sqlite3.Connection]:
    """The connection of somebody who writes all the time; nothing is scheduled yet."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=60)) as connection:
        connection.execute("DELETE FROM django_q_schedule")
        connection.execute("BEGIN IMMEDIATE")
        yield connection


@pytest.fixture(scope="module")
def patient(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with slow deletions: each element is a separate chunk."""
    with serving(*prepared, tmp_path_factory.mktemp("patient"), DELETION_CHUNK_SIZE="1", **SLOW) as running:
        yield running


@pytest.mark.contract("F5", "F6")
def test_a_deletion_is_stopped_between_two_chunks(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """Each time the record shows what is gone, and that nobody works on it; in the end all are counted once."""
    url = prepared[0]
    ids = fill(url, "stopped-worker", MANY)
    deletion = delete(patient, ids, "stopped-worker")
    for _ in range(STOPS):
        before = deletion.progress()["processed"]
        with working_slowly(url, tmp_path, **SLOW) as worker:
            deletion.wait_for_progress(before + 3)
            assert worker.stop() == 0
        progress = deletion.progress()
        assert progress["status"] == "RUNNING"
        assert progress["processed"] == progress["deleted"]
        assert remaining(url, "stopped-worker") == (len(ids) - progress["deleted"], progress["deleted"])
        assert rows(url, "SELECT claimed_by FROM bulkops_dataprocessing WHERE status = 'RUNNING'") == [(None,)]
    hasten(url)
    with working(url, tmp_path, **SLOW):
        assert deletion.ended()["deleted"] == len(ids)
    assert remaining(url, "stopped-worker") == (0, len(ids))


@pytest.mark.contract("C18")
def test_an_import_is_stopped_and_started_again(prepared: tuple[str, str], tmp_path: Path):
    """Nothing of it is saved when the worker ends, which is not an attempt; later each element exists once."""
    url = prepared[0]
    oid = printed_by(url, f"begin('stopped-import', {COUNT})")
    with working_slowly(url, tmp_path, **SLOW) as worker:
        worker.wait_for("import_begun")
        time.sleep(0.5)
        assert worker.stop() == 0
        assert "import_ended" not in worker.log.read_text()
    # One that waited for the end of the import would be killed after a while, and that would count as an attempt.
    state = "SELECT status, claimed_by, attempts FROM bulkops_fileimport WHERE oid = %s"
    assert rows(url, state, oid) == [("IMPORTING", None, 0)]
    stored = (
        "SELECT count(*) FROM account_account AS stored "
        "JOIN repositories_repository AS its ON stored.repository_id = its.id "
        "WHERE its.db_id = 'stopped-import' AND stored.update_origin = 'IMPORT'"
    )
    assert rows(url, stored) == [(0,)]
    with working(url, tmp_path, **SLOW) as worker:
        worker.wait_for("import_begun")
        outcome = json.loads(printed_by(url, f"print_outcome({oid!r}, 'stopped-import')"))
    assert outcome == {
        "status": "COMPLETED", "attempts": 1, "created": COUNT, "stored": COUNT, "versions": COUNT, "pieces": 0
    }  # fmt: skip


# One lock for all writers is SQLite's.
if not os.environ.get("DATABASE_URL", "").startswith("postgres"):

    def test_a_worker_ends_while_somebody_else_keeps_the_database(locked: sqlite3.Connection, url: str, tmp_path: Path):
        """A long import of another worker keeps SQLite's lock to its end; stopping this worker does not wait."""
        with working(url, tmp_path, **QUICKER) as worker:
            assert worker.stop() == 0

    def test_what_could_not_be_written_at_the_start_is_written_later(
        locked: sqlite3.Connection, url: str, tmp_path: Path
    ):
        """That old records are purged each day: nobody else would do it."""
        scheduled = "SELECT func FROM django_q_schedule"
        with working(url, tmp_path, **QUICKER) as worker:
            worker.wait_for("database_unavailable")
            assert rows(url, scheduled) == []
            locked.rollback()
            wait_until(lambda: rows(url, scheduled) == [("bulkops.worker.tasks.clean",)], "Nothing is scheduled")
            assert "worker_restarted" not in worker.log.read_text()
