"""Twenty thousand hostile requests to a real service: no failure, no dead process, nothing changed that nobody wrote.

    DATABASE_URL=postgresql://… python -m tests.load.fuzz.run --count 20000 --seed 1

schemathesis generates a tenth of them in sequences, from our OpenAPI documents; the others are valid requests whose
bytes are damaged, sent by slow, hasty and impolite clients. The same `--seed` sends the same bytes again; `--show 4711`
prints those of one request and sends nothing.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.fuzz.attempts import attempt
from tests.load.fuzz.corpus import Corpus
from tests.load.fuzz.ordeal import hostile_house
from tests.services.database import migrated_database
from tests.services.processes import table

# As long as any key, so that it is damaged at the same places.
UNKNOWN_KEY = "KEYKEYKE.YKEYKEYKEYKEYKEYKEYKEYKEYKEYKEYKE"
# What all processes together may take more at the end than after the first thousand requests, in KiB.
GROWTH = 150 * 1024


def main(count: int, seed: int, show: int | None) -> int:
    """Run, print what was answered, and return 0 when nothing was found."""
    if show is not None:
        shown = attempt(Corpus(UNKNOWN_KEY), seed, show)
        sys.stdout.write(f"{shown.name}\n{shown.raw!r}\n")
        return 0
    begin = time.monotonic()
    with (
        TemporaryDirectory() as folder,
        migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
        hostile_house(url, Path(folder), seed) as ordeal,
    ):
        sys.stdout.write(f"{url.partition(':')[0]}, seed {seed}\n")
        report = ordeal.run(count)
    if sum(report.after.values()) - sum(report.before.values()) > GROWTH:
        report.findings.append("the memory has grown")
    seconds = time.monotonic() - begin
    sys.stdout.write(f"{seconds:.0f} seconds\n")
    for kind, statuses in (("mutated", report.mutated), ("in sequences", report.in_sequences)):
        answered = ", ".join(f"{times:,} x {status}" for status, times in sorted(statuses.items()))
        sys.stdout.write(f"{kind}: {statuses.total():,} outcomes: {answered}\n")
    sys.stdout.write(f"memory before and after\n{table(report.before, report.after)}\n")
    sys.stdout.writelines(f"{finding}\n" for finding in report.findings)
    sys.stdout.write(f"{len(report.findings)} findings\n")
    return 1 if report.findings else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.fuzz.run")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--show", type=int)
    sys.exit(main(**vars(parser.parse_args())))
