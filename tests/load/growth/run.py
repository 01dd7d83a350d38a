"""How the service grows: the same results with 20,000, 100,000 and 1,000,000 accounts in one database.

    TEST_POSTGRESQL_URL=postgresql://… python -m tests.load.growth.run --stages 2 --repeats 1

prints the results and the table. With all stages it also writes docs/developers/growth.json and the table of
docs/developers/growth.md. It needs Linux, PostgreSQL, 15 GB of disk, and a SECRET_KEY.
"""

import argparse
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.bench import results
from tests.load.growth.loading import prepared
from tests.load.growth.measuring import measured
from tests.load.growth.report import described_stages, table, write_page
from tests.load.growth.stages import STAGES, Stage

_BASE = 7_000
_SECONDS = 0.8


def main(stages: Sequence[Stage], repeats: int) -> None:
    """Grow a database from stage to stage, measure each of them, and report."""
    samples: dict[str, dict[str, list[float]]] = defaultdict(dict)
    start = time.perf_counter()

    def report(line: str) -> None:
        sys.stdout.write(f"{time.perf_counter() - start:6.0f} s  {line}\n")
        sys.stdout.flush()

    with (
        TemporaryDirectory() as folder,
        prepared(os.environ["TEST_POSTGRESQL_URL"], Path(folder), _BASE) as rig,
    ):
        for stage in stages:
            for key, measurements in measured(rig, stage, repeats, _SECONDS, report).items():
                samples[key][str(stage.total)] = measurements
        found = results.described(rig.url, samples, repeats, stages[-1].total)
    found["stages"] = described_stages(stages)
    sys.stdout.write(f"\n{table(found)}\n")
    if len(stages) == len(STAGES):
        write_page(found)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures the service at 20,000, 100,000 and 1,000,000 accounts.")
    parser.add_argument("--stages", type=_count, default=len(STAGES), help="only the first so many stages")
    parser.add_argument("--repeats", type=_count, default=3, help="how often each is measured")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = _arguments()
    # So that the database is dropped and all processes end, however this ends.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main(STAGES[: arguments.stages], arguments.repeats)
