"""How much memory the web process takes above idle while it streams lists of large accounts.

    DATABASE_URL=postgresql://… python -m tests.load.memory 20000 100000

prints a table. It needs Linux, which reports the peak of a process and resets it on demand.
"""

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.services.clerk import errand, prepare
from tests.services.database import migrated_database
from tests.services.service import Service, serving

# A repository of its own, so that others on the same service do not read what fills it.
DB_ID = "large"
LIST = f"/dimensions/v1/{DB_ID}/account/elements"
FETCH = f"{LIST}-fetch?properties=id,descriptions.*,consolidation,cashFlowPlanning.variation.debit.id"
# Each thread keeps memory of its own, which would blur what a list takes.
SINGLE = {"WEB_CONCURRENCY": "1", "WEB_THREADS": "1"}
ADDRESSES = {"list": LIST, "fetch": FETCH}
# Bytes that a growing body takes for a moment beside itself: it begins in the heap of its thread, wherever there is
# room, and glibc copies it once when it has outgrown that. By chance this is nothing, or up to 20 MB.
COPIED = 24 * 1024**2


def fill(database_url: str, count: int) -> None:
    """Bring the accounts of the repository up to `count` large ones."""
    code = f"from tests.services.big_accounts import fill; fill({DB_ID!r}, {count})"
    errand(database_url, code)


class Peak:
    """The memory of the workers of a service above what it is now, each at its peak from now on, together."""

    def __init__(self, service: Service) -> None:
        self._idle = {worker: kibibytes(worker, "VmRSS") for worker in service.workers()}
        for worker in self._idle:
            Path(f"/proc/{worker}/clear_refs").write_text("5")

    def above_idle(self) -> int:
        """The peak until now, in KiB."""
        return sum(kibibytes(worker, "VmHWM") - idle for worker, idle in self._idle.items())


def peak_above_idle(service: Service, address: str, **headers: str) -> tuple[int, int]:
    """Read a list through; return its length in bytes and the worker's memory above idle at its peak, in KiB.

    The service is a `SINGLE` one. It has answered a short list before, so that what is loaded once counts as idle.
    """
    separator = "&" if "?" in address else "?"
    service.read_through(f"{address}{separator}take=1000", **headers)
    peak = Peak(service)
    length = service.read_through(address, **headers)
    return length, peak.above_idle()


def kibibytes(pid: int, name: str) -> int:
    """A measurement of the process from Linux's /proc, such as VmRSS or VmHWM."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def main(counts: list[int]) -> None:
    """Measure list and fetch for each number of accounts, on the database that DATABASE_URL names the kind of."""
    with (
        TemporaryDirectory() as folder,
        migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
        serving(url, prepare(url), Path(folder), **SINGLE) as service,
    ):
        for count in counts:
            fill(url, count)
            for name, address in ADDRESSES.items():
                length, peak = peak_above_idle(service, address)
                line = f"{url.partition(':')[0]:10} {name:5} {count:9,} accounts {length / 1e6:8.1f} MB sent"
                sys.stdout.write(f"{line} {peak / 1024:6.1f} MiB above idle\n")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
