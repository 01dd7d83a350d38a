"""The short form of `make upgrade`: this release, a made-up next one, and back."""

import os
from pathlib import Path

import pytest

from tests.upgrade.rolling import roll
from tests.upgrade.two_releases import before, made_up_next

SERVER = os.environ.get("DATABASE_URL", "")

pytestmark = [
    pytest.mark.contract("P3"),
    pytest.mark.skipif(not SERVER.startswith("postgres"), reason="SQLite serves one machine, which restarts"),
]


def test_no_call_fails_while_a_release_replaces_the_one_before_and_is_put_back(tmp_path: Path):
    """The next release has the next number, and a column of which this one knows nothing."""
    old, new = before("", tmp_path / "before"), made_up_next(tmp_path / "after")
    report = roll(old, new, SERVER, tmp_path, writers=8, seconds=0.5)
    assert report.wrong == []
    assert report.polls > 0
    assert all(report.kinds[kind] for kind in ("put", "patch", "bulk", "deletion", "plan", "import", "form"))
