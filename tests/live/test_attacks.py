"""The short form of the attack set; `make attacks` tries each limit at its maximum."""

import os
from pathlib import Path

import pytest

from tests.load.attacks.run import ATTACKS, attacked
from tests.load.attacks.scene import SHORT, scene

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak from Linux's /proc")

# Seconds that a response to the other tenant may take on a slow machine.
SLOWEST = 8


@pytest.mark.contract("B1", "B3", "C20", "D7")
def test_another_tenant_is_answered_during_each_attack(tmp_path: Path):
    """Behind nginx, in a bounded time; memory stays bounded, and no web process ends."""
    server = os.environ.get("DATABASE_URL", "")
    with scene(tmp_path, server, SHORT, behind_nginx=True) as stage:
        seen = list(attacked(stage))

    assert [each for attack in seen for each in attack.broken(SLOWEST, server)] == []
    assert len(seen) == len(ATTACKS)
    outcomes = {attack.attack.name: attack.outcomes for attack in seen}
    assert "200 refused" in outcomes["millions of attribute names, 6 uploads at once"]
    assert outcomes["millions of attribute names, 6 uploads at once"].keys() <= {"200 refused", "200 come again"}
    assert outcomes["8 bulk savers beside an import"]["import COMPLETED"] == 1
    assert outcomes["wrong types, gzip, 4 clients"].keys() == {"400"}
    for name in ("empty lines and rows, gzip, 8 clients", "endless quotes and rows, gzip, 8 clients"):
        assert "400" in outcomes[name]
        assert outcomes[name].keys() <= {"400", "503"}
    assert all(attack.other.reads and attack.other.writes for attack in seen)
