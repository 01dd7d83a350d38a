"""What a run has found, for machines: the samples, and what they were taken with."""

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg

from tests.services.service import PROJECT

# The results of each row by contestant, in the order of the rounds.
Samples = Mapping[str, Mapping[str, list[float]]]
_PACKAGES = (
    *("django", "djangorestframework", "django-filter", "gunicorn", "psycopg", "orjson", "msgspec"),
    "django-q2",
)
_SETTINGS = ("server_version", "shared_buffers", "synchronous_commit", "fsync", "autovacuum")


def described(url: str, samples: Samples, rounds: int, count: int) -> dict[str, Any]:
    """The samples and the circumstances of the run in that database, as in docs/developers/performance.json."""
    return {
        "taken": datetime.now(UTC).isoformat(timespec="minutes"),
        "commit": _commit(),
        "rounds": rounds,
        "accounts": count,
        "machine": {"cpus": os.cpu_count(), "processor": _processor(), "system": platform.system()},
        "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
        "postgresql": _postgresql(url),
        "rows": {
            row: {
                contestant: [_short(measurement) for measurement in measurements]
                for contestant, measurements in found.items()
            }
            for row, found in samples.items()
        },
    }


def _short(measurement: float) -> float:
    """Four digits: what follows is noise."""
    return float(f"{measurement:.4g}")


def _commit() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=PROJECT, check=False, stdout=subprocess.PIPE, encoding="utf-8")
        return done.stdout.strip()

    return git("rev-parse", "--short", "HEAD") + (" with changes" if git("status", "--porcelain") else "")


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _postgresql(url: str) -> dict[str, str]:
    with psycopg.connect(url) as database:
        found = database.execute("SELECT name, setting, unit FROM pg_settings WHERE name = ANY(%s)", [list(_SETTINGS)])
        return {name: setting + (f" × {unit}" if unit else "") for name, setting, unit in sorted(found)}
