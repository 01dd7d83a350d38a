"""The short form of the chaos of deletions; `make chaos` runs the long one."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.load.chaos.deletion import abort_at_random, kill_workers, overlap
from tests.services.service import Service, serving
from tests.services.worker import QUICK, working

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the processes in /proc")


@pytest.fixture(scope="module")
def chunked(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose deletions have small chunks, so that they run for a moment."""
    with serving(*prepared, tmp_path_factory.mktemp("chunked"), DELETION_CHUNK_SIZE="20", **QUICK) as running:
        yield running


@pytest.mark.contract("F6")
def test_killed_workers_lose_and_double_nothing(prepared: tuple[str, str], chunked: Service, tmp_path: Path):
    """Whole workers and single processes of them, at random moments."""
    report = kill_workers(chunked, tmp_path, prepared[0], Random(4), kills=2, count=400, **QUICK)
    assert report.kills == 2


@pytest.mark.contract("F5")
def test_aborts_at_random_moments_report_what_is_gone(prepared: tuple[str, str], chunked: Service, tmp_path: Path):
    with working(prepared[0], tmp_path, **QUICK):
        assert len(abort_at_random(chunked, prepared[0], Random(5), times=4, count=200)) == 4


@pytest.mark.contract("F2")
def test_overlapping_deletions_delete_and_count_each_element_once(
    prepared: tuple[str, str], chunked: Service, tmp_path: Path
):
    with working(prepared[0], tmp_path, **QUICK):
        assert overlap(chunked, prepared[0], Random(6), deletions=10, count=100) == 100
