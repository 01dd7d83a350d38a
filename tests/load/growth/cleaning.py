"""What it takes to purge old versions: time, memory, and how long others wait meanwhile."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from tests.load.bench.bodies import identifier
from tests.load.growth.loading import KEPT_DAYS, Rig
from tests.load.growth.reading import ELEMENTS
from tests.load.growth.stages import Stage
from tests.load.growth.writing import HISTORY, changes
from tests.services.service import PROJECT, environment

_PAUSE = 0.01


def cleaned(rig: Rig, stage: Stage) -> Mapping[str, float]:
    """Run the command while an account is patched again and again; one version of each account is purged.

    The seconds that it looks at accounts, without its own start, the megabytes of its process at its peak, and the
    milliseconds of a patch, of the middle one and of the slowest.
    """
    before = _count(rig)
    command = [sys.executable, str(PROJECT / "manage.py"), "clean_old_history", f"--days={KEPT_DAYS}"]
    log = rig.folder / f"clean-{stage.total}.log"
    # The command waits as long as a read may take.
    variables = environment(rig.url, READ_TIMEOUT_SECONDS="1")
    patches: list[float] = []
    memory = 0.0
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command,
            cwd=rig.folder,
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        ) as process,
    ):
        while process.poll() is None:
            start = time.perf_counter()
            rig.service.call("PATCH", f"{ELEMENTS}/{identifier(stage.large - 1)}", changes())
            patches.append((time.perf_counter() - start) * 1000)
            memory = max(memory, _peak(process.pid))
            time.sleep(_PAUSE)
    assert process.returncode == 0, log.read_text()
    assert _count(rig) == before + len(patches) - stage.total
    (event,) = [line for line in map(json.loads, _events(log)) if line.get("dimension") == "account"]
    assert event["versions"] == stage.total
    return {
        "clean": event["duration_ms"] / 1000,
        "clean-memory": memory,
        "clean-patch": median(patches),
        "clean-slowest": max(patches),
    }


def _events(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if "history_cleaned" in line]


def _count(rig: Rig) -> int:
    (count,) = rig.database.execute(f"SELECT count(*) FROM {HISTORY}").fetchone() or (0,)
    return int(count)


def _peak(pid: int) -> float:
    """The megabytes of the process at its peak until now; nothing when it has ended (Linux)."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return 0.0 if found is None else int(found[1]) * 1024 / 1e6
