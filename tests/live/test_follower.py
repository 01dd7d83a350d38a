"""The short form of the follower; `make follower` runs 200 rounds of it."""

import os
from pathlib import Path

import pytest

from tests.load.follower.run import Report, follow, scene

DATABASE = os.environ.get("DATABASE_URL", "")

pytestmark = [
    pytest.mark.contract("I3", "I4"),
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes in /proc"),
]


def followed(behind: str, folder: Path) -> Report:
    """Two rounds of eight writers, in the last of which a web process and the worker are killed."""
    with scene(DATABASE, behind, folder, accounts=300, largest=200) as (place, worker):
        return follow(place, worker, rounds=2, writers=8, seed=2)


def check(report: Report) -> None:
    assert report.wrong == []
    assert (report.rounds, report.kills) == (2, 2)
    assert report.changes > report.elements > 0
    assert all(report.kinds[kind] for kind in ("put", "bulk", "deletion"))


@pytest.mark.parametrize("behind", ["pool", "replica"] if DATABASE.startswith("postgres") else ["nothing"])
def test_a_copy_that_follows_the_feed_is_the_list_after_each_round(behind: str, tmp_path: Path):
    """Byte for byte, while all kinds of writers write, and processes are killed."""
    tmp_path.chmod(0o755)
    check(followed(behind, tmp_path))
