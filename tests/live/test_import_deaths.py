"""Imports whose worker is killed in the middle."""

import json
import time
from pathlib import Path

from tests.services.clerk import errand
from tests.services.worker import QUICK, working, working_slowly

# Enough that an import writes longer than the test waits.
COUNT = 5_000


def printed_by(url: str, call: str) -> str:
    """What a function of `tests.services.file_imports` prints."""
    return errand(url, f"from tests.services import file_imports; file_imports.{call}")


def test_another_worker_starts_an_import_again_whose_worker_was_killed(prepared: tuple[str, str], tmp_path: Path):
    """From the beginning, because nothing of it was saved; in the end each element exists once, with one version."""
    url = prepared[0]
    oid = printed_by(url, f"begin('imported', {COUNT})")
    with working_slowly(url, tmp_path, **QUICK) as first:
        first.wait_for("import_begun")
        time.sleep(0.5)
        first.kill()
        assert "import_ended" not in first.log.read_text()
    with working(url, tmp_path, **QUICK) as second:
        outcome = json.loads(printed_by(url, f"print_outcome({oid!r}, 'imported')"))
        assert "processing_taken_over" in second.log.read_text()
    assert outcome == {
        "status": "COMPLETED", "attempts": 2, "created": COUNT, "stored": COUNT, "versions": COUNT, "pieces": 0
    }  # fmt: skip
