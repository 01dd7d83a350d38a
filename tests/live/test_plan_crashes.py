"""A web process that dies while it makes, approves or applies a plan: all or nothing, and the plan says which.

A few deaths each time; `python -m tests.load.chaos.plans` deals out many.
"""

import os
from pathlib import Path

import pytest

from tests.load.chaos.bulk import Ordeal, kill_workers
from tests.load.chaos.plans import ApplyingOrdeal, ApprovingOrdeal, MakingOrdeal
from tests.services.database import migrated_database

SIZE = 2_400


@pytest.mark.contract("K4", "K6", "O3", "O5")
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes in /proc")
@pytest.mark.parametrize("kind", [MakingOrdeal, ApprovingOrdeal, ApplyingOrdeal])
def test_when_the_process_is_killed_the_plan_says_what_is_stored(tmp_path: Path, kind: type[Ordeal]):
    """Its status, its change set and the elements agree; the next process serves at once, and no lock is left."""
    with migrated_database(tmp_path, os.environ.get("DATABASE_URL", "")) as url:
        tally = kill_workers(url, tmp_path, (0.4, 0.8), SIZE, kind)
    assert tally.other == []
    assert tally.nothing + tally.everything >= 2
    # At least one has met a call that was running.
    assert tally.interrupted > 0
