"""The short form of the failures of databases, processes and disks; `make chaos` runs the long one."""

import os
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.load.chaos.faults import HARMS, suffer
from tests.load.chaos.small_disk import small_disk
from tests.services.bulk_state import Counts, counts, marked
from tests.services.service import serving

pytestmark = [
    pytest.mark.contract("B3", "C18", "E2", "F2"),
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes in /proc"),
]
KIND = "postgresql" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "sqlite"
LIST = "/dimensions/v1/northwind/account/elements"


def test_what_was_answered_is_there_once_and_what_cannot_be_served_is_503(tmp_path: Path):
    """Twenty clients read, write and delete; after each failure the service recovers by itself."""
    report = suffer(KIND, tmp_path, Random(6), rounds=1, seconds=0.5, writes=101)
    assert report.wrong == []
    assert {name: tally.times for name, tally in report.tallies.items()} == dict.fromkeys(HARMS[KIND], 1)
    # The failures had an effect, and much was written.
    assert sum(tally.statuses[503] for tally in report.tallies.values()) > 0
    assert report.writes > 100


def test_a_full_folder_for_temporary_files_is_worth_another_try(prepared: tuple[str, str], tmp_path: Path):
    """A bulk save whose response finds no space is 503 with `Retry-After`, and saves nothing."""

    def body(mark: str) -> dict[str, Any]:
        return {"put": [marked(f"full-{number}", mark) for number in range(2_000)]}

    with small_disk(megabytes=32) as disk, ExitStack() as stack:
        variables = {"TMPDIR": str(disk.folder), "WEB_CONCURRENCY": "1"}
        service = stack.enter_context(serving(*prepared, tmp_path, **variables))
        # Python determines once which folder has space.
        assert service.send("POST", f"{LIST}-bulk", body("before")).status == 200
        disk.fill()
        answer = service.send("POST", f"{LIST}-bulk", body("full"))
        assert (answer.status, answer.headers.get("Retry-After")) == (503, "5"), service.log.read_text()[-3_000:]
        assert counts(prepared[0], "full") == Counts(0, 0, 0)
        disk.free()
        assert service.send("POST", f"{LIST}-bulk", body("full")).status == 200
