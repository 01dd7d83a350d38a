"""SIGTERM to the worker, again and again: it ends between two steps, and the next one goes on at once."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.bulk_state import rows
from tests.live.deletion_chaos import remaining
from tests.live.service import Service, serving
from tests.live.test_import_deaths import COUNT, tell
from tests.live.worker import delete, fill, many, wait_until, working

STOPS = 2
# Nobody is waited for until he counts as lost: the tests would end before that.
SLOW = {"WORKER_LOST_AFTER_SECONDS": "600"}


@pytest.fixture(scope="module")
def patient(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose deletions take their time: each element is a chunk of its own."""
    with serving(*prepared, tmp_path_factory.mktemp("patient"), DELETION_CHUNK_SIZE="1", **SLOW) as running:
        yield running


@pytest.mark.contract("F5", "F6")
def test_a_deletion_is_stopped_between_two_chunks(prepared: tuple[str, str], patient: Service, tmp_path: Path):
    """Each time the record tells what is gone, and that nobody works on it; in the end all are counted once."""
    url = prepared[0]
    ids = fill(url, "stopped-worker", many(url))
    deletion = delete(patient, ids, "stopped-worker")
    for _ in range(STOPS):
        before = deletion.told()["processed"]
        with working(url, tmp_path, **SLOW) as worker:
            deletion.wait_for_progress(before + 3)
            assert worker.stop() == 0
        told = deletion.told()
        assert told["status"] == "RUNNING"
        assert told["processed"] == told["deleted"]
        assert remaining(url, "stopped-worker") == (len(ids) - told["deleted"], told["deleted"])
        assert rows(url, "SELECT claimed_by FROM bulkops_dataprocessing WHERE status = 'RUNNING'") == [(None,)]
    with working(url, tmp_path, **SLOW):
        assert deletion.ended()["deleted"] == len(ids)
    assert remaining(url, "stopped-worker") == (0, len(ids))


@pytest.mark.contract("C18")
def test_an_import_is_stopped_and_begun_anew(prepared: tuple[str, str], tmp_path: Path):
    """Nothing of it is saved when the worker ends, which counts as no attempt; then each element is there once."""
    url = prepared[0]
    oid = tell(url, f"begin('stopped-import', {COUNT})")
    with working(url, tmp_path, **SLOW) as worker:
        worker.wait_for("import_begun")
        time.sleep(0.5)
        begin = time.monotonic()
        assert worker.stop() == 0
        assert time.monotonic() - begin < 20
        assert "import_ended" not in worker.log.read_text()
    state = "SELECT status, claimed_by, attempts FROM bulkops_fileimport WHERE oid = %s"
    assert rows(url, state, oid) == [("IMPORTING", None, 0)]
    stored = (
        "SELECT count(*) FROM account_account AS stored "
        "JOIN repositories_repository AS its ON stored.repository_id = its.id "
        "WHERE its.db_id = 'stopped-import' AND stored.update_origin = 'IMPORT'"
    )
    assert rows(url, stored) == [(0,)]
    with working(url, tmp_path, **SLOW) as worker:
        wait_until(lambda: "import_begun" in worker.log.read_text(), "Nobody goes on", patience=15)
        told = json.loads(tell(url, f"tell_the_end({oid!r}, 'stopped-import')"))
    assert told == {
        "status": "COMPLETED", "attempts": 1, "created": COUNT, "stored": COUNT, "versions": COUNT, "pieces": 0
    }  # fmt: skip
