"""A process or a database that dies in the middle of a bulk save: nothing of it is stored, or everything.

A few deaths each time; `python -m tests.load.chaos.bulk` deals out many.
"""

import os
from pathlib import Path

import pytest

from tests.load.chaos.bulk import Tally, kill_workers, stop_database
from tests.services.database import migrated_database

DATABASE = os.environ.get("DATABASE_URL", "")
SIZE = 2_400

pytestmark = pytest.mark.contract("E2", "C17", "C18")


def check(tally: Tally, strikes: int) -> None:
    assert tally.other == []
    assert tally.nothing + tally.everything >= strikes
    # At least one has met a call that was running.
    assert tally.interrupted > 0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes in /proc")
def test_when_the_process_is_killed_nothing_or_everything_is_stored(tmp_path: Path):
    """Elements, history and logic alike; the next process serves at once, and no lock is left."""
    with migrated_database(tmp_path, DATABASE) as url:
        check(kill_workers(url, tmp_path, (0.3, 0.6, 0.9), SIZE), 3)


if DATABASE.startswith("postgres"):  # SQLite has no server

    def test_when_the_database_dies_nothing_or_everything_is_stored(tmp_path: Path):
        """The call gets 503 or no answer; with the database the service recovers, without a restart."""
        check(stop_database(tmp_path, (0.1, 0.3, 0.6), SIZE), 3)
