"""A process or a database that dies while a request with a key is running: sent again, it is done exactly once.

A few deaths each time; `python -m tests.load.chaos.keys` deals out many.
"""

import os
from pathlib import Path

import pytest

from tests.load.chaos.keys import ROUTES, Tally, kill_workers, stop_database
from tests.services.clerk import errand
from tests.services.database import migrated_database

DATABASE = os.environ.get("DATABASE_URL", "")
SIZE = 1_000

pytestmark = pytest.mark.contract("E2", "F2", "C18")


def check(tally: Tally, strikes: int) -> None:
    assert tally.other == []
    assert tally.strikes >= strikes
    # At least one has met a request that was running.
    assert tally.replayed + tally.repeated > 0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes in /proc")
def test_when_the_process_is_killed_the_repeated_request_is_done_once(tmp_path: Path):
    """A creation, a bulk save and the start of a deletion each: in the middle, and when it is committed.

    The file of a lock stays when its holder is killed right after the commit; the daily cleaning finds it.
    """
    with migrated_database(tmp_path, DATABASE) as url:
        strikes = [(kind, moment) for kind in ROUTES for moment in (0.5, None)]
        check(kill_workers(url, tmp_path, strikes, SIZE), 6)
        errand(url, "from dimensions_site.idempotency.locks import remove_leftovers; remove_leftovers()")
    assert [*tmp_path.glob("*-keys/*")] == []


if DATABASE.startswith("postgres"):  # SQLite has no server

    def test_when_the_database_dies_the_repeated_request_is_done_once(tmp_path: Path):
        """The first one gets 503 or no answer."""
        check(stop_database(tmp_path, [("bulk", 0.2), ("bulk", 0.5)], 3 * SIZE), 2)
