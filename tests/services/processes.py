"""The resources of a service's processes (Linux)."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.services.service import Service
from tests.services.worker import RunningWorker

_PSS = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)


def memory(service: Service, worker: RunningWorker) -> Mapping[str, int]:
    """The memory of each process by its kind and id, in KiB; what processes share is counted in parts (PSS)."""
    kinds = {
        **dict.fromkeys(worker.processes(), "worker"),
        **dict.fromkeys(service.workers(), "web"),
        service.pid: "web server",
    }
    return {f"{kind} {pid}": _share(pid) for pid, kind in kinds.items()}


def _share(pid: int) -> int:
    found = _PSS.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
    assert found is not None
    return int(found[1])


def table(*columns: Mapping[str, int]) -> str:
    """Several measurements beside each other, in MiB, and their sums."""
    names = sorted({name for column in columns for name in column})
    lines = [f"  {name:20}" + "".join(_cell(column.get(name)) for column in columns) for name in names]
    return "\n".join([*lines, f"  {'together':20}" + "".join(_cell(sum(column.values())) for column in columns)])


def _cell(kibibytes: int | None) -> str:
    return f"{'gone':>14}" if kibibytes is None else f"{kibibytes / 1024:10.1f} MiB"
