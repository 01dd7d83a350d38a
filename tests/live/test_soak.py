"""The short form of the mixed load; `make soak` runs for ten minutes."""

import os
from pathlib import Path

import pytest

from tests.load.soak.client import SHARES
from tests.load.soak.run import soak
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.service import serving
from tests.services.worker import working

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="finds the processes in /proc")


def patient(url: str) -> str:
    """The address with which no client is refused for a long wait for SQLite's lock, which may be due to the machine.

    For the same reason connections are kept.
    """
    return f"{url}?timeout=120" if url.startswith("sqlite") else url


@pytest.mark.contract("C18", "E2", "F2")
def test_under_mixed_load_no_write_is_lost_or_done_twice(tmp_path: Path):
    """Eight clients read, write, save many and delete; the database and its history match their responses."""
    with (
        migrated_database(tmp_path, os.environ.get("DATABASE_URL", "")) as url,
        serving(patient(url), prepare(url), tmp_path, GUNICORN_CMD_ARGS="--keep-alive 120") as service,
        working(patient(url), tmp_path) as worker,
    ):
        seen = soak(service, worker, url, seconds=5, warm_up=2, seed=8)
    assert seen.errors == []
    # A loaded machine may refuse some.
    assert seen.measurements.refused < seen.measurements.requests / 20
    assert SHARES.keys() & seen.measurements.seconds.keys() >= {"single", "list", "fetch", "count", "bulk save"}
    assert seen.early.keys() == seen.late.keys()
