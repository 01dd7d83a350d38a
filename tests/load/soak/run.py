"""Mixed load for minutes: reads, writes, bulk saves and deletions, with nothing refused, lost or done twice.

    DATABASE_URL=postgresql://… SOAK_MINUTES=10 python -m tests.load.soak.run

prints requests, errors, how long they took, and the memory of each process after the first minute and at the end.
The clients pause between their calls, so that on SQLite too, where writers wait for each other, nobody waits for too
long: at a higher rate some writes would get 503 with `Retry-After`; these are not errors, but fail the run.
"""

import os
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.soak.client import Client
from tests.load.soak.measurements import Measurements
from tests.load.soak.state import lost_or_doubled, waiting
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.processes import memory, table
from tests.services.service import Service, serving
from tests.services.worker import RunningWorker, working

CLIENTS = 8
# Between two calls of a client, in the mean, in seconds.
PAUSE = 0.1
# What all processes together may take more at the end than after the first minute, in KiB.
GROWTH = 100 * 1024


@dataclass(frozen=True)
class Soaked:
    """What was seen; `errors` include those of the database."""

    measurements: Measurements
    errors: list[str]
    # Of each process, in KiB.
    early: Mapping[str, int]
    late: Mapping[str, int]
    waiting: str


def soak(service: Service, worker: RunningWorker, url: str, seconds: float, warm_up: float, seed: int) -> Soaked:
    """Have the clients call for that many seconds; the memory is looked at after the `warm_up` and at the end."""
    clients = [Client(service, f"client-{number:02}", seed) for number in range(CLIENTS)]
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(CLIENTS) as threads:
        work = [threads.submit(client.work, until, PAUSE) for client in clients]
        time.sleep(warm_up)
        early = memory(service, worker)
        time.sleep(max(0.0, until - 1 - time.monotonic()))
        late, pending = memory(service, worker), waiting(url)
        for each in work:
            each.result()
    measurements = Measurements.of(client.measurements for client in clients)
    return Soaked(measurements, measurements.errors + lost_or_doubled(url, clients), early, late, pending)


def main(seed: int) -> int:
    """Run, print the results, and return 0 when nothing went wrong."""
    seconds = float(os.environ.get("SOAK_MINUTES", "10")) * 60
    with (
        TemporaryDirectory() as folder,
        migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
        serving(url, prepare(url), Path(folder)) as service,
        working(url, Path(folder)) as worker,
    ):
        sys.stdout.write(f"{url.partition(':')[0]}, {seconds / 60:g} minutes, {CLIENTS} clients, seed {seed}\n")
        sys.stdout.flush()
        seen = soak(service, worker, url, seconds, min(60, seconds / 4), seed)
    errors = list(seen.errors)
    if sum(seen.late.values()) - sum(seen.early.values()) > GROWTH:
        errors.append("the memory has grown")
    if seen.measurements.refused:
        errors.append(f"{seen.measurements.refused} x 503: the rate is too high for this machine")
    sys.stdout.write(
        f"{seen.measurements.requests:,} requests, {seen.measurements.refused} x 503, {len(errors)} errors\n"
    )
    sys.stdout.write(
        f"{seen.measurements.table()}\nmemory early and late\n{table(seen.early, seen.late)}\n{seen.waiting}\n"
    )
    sys.stdout.writelines(f"{error}\n" for error in errors[:100])
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else time.time_ns() % 1_000_000))
