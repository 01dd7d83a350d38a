"""The benchmark: the service beside the least that is possible and beside what a team writes in a day.

    TEST_POSTGRESQL_URL=postgresql://… python -m tests.load.bench.run --scenarios read-one,list --rounds 3

prints the results and the table. With all scenarios it also writes docs/developers/performance.json, and the
page and the picture that are made of it. It needs Linux, PostgreSQL, and a SECRET_KEY.
"""

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from tests.load.bench import equality, results
from tests.load.bench.loading import Ready, empty, filled_database, tidy
from tests.load.bench.report import main_table, write_page
from tests.load.bench.rows import BY_KEY, ROWS
from tests.load.bench.scenarios import Rig, measured, scenarios

_COUNT = 20_000
_SECONDS = 1.5


def main(keys: Sequence[str], rounds: int) -> None:
    """Fill a database, compare the responses, measure that many rounds, and report."""
    with (
        TemporaryDirectory() as folder,
        filled_database(os.environ["TEST_POSTGRESQL_URL"], Path(folder), _COUNT) as ready,
    ):
        samples = _measure(ready, Path(folder), keys, rounds)
        found = results.described(ready.url, samples, rounds, _COUNT)
    _print("\n" + main_table(found))
    if len(keys) == len(ROWS):
        write_page(found)


def _measure(ready: Ready, folder: Path, keys: Sequence[str], rounds: int) -> results.Samples:
    samples: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with ready.started(folder) as contestants, psycopg.connect(ready.url, autocommit=True) as database:
        tidy(database, analyse=True)
        equal = equality.check(contestants, _COUNT)
        _print(f"{equal} answers about {_COUNT:,} accounts are equal")
        equality.check_writes(contestants)
        empty(database)
        rig = Rig(ready, database, folder, _COUNT, _SECONDS)
        start = time.perf_counter()
        for turn in range(rounds):
            for scenario in scenarios(_COUNT):
                if not set(keys) & set(scenario.rows):
                    continue
                for (row, name), value in measured(scenario, rig, contestants, turn).items():
                    samples[row][name].append(value)
                    _print(f"{time.perf_counter() - start:6.0f} s  round {turn + 1}  {row:16} {name:14} {value:12,.2f}")
    return {row: dict(samples[row]) for row in keys}


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _keys(text: str) -> Sequence[str]:
    keys = text.split(",")
    unknown = [key for key in keys if key not in BY_KEY]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: the scenarios are {', '.join(BY_KEY)}")
    return [key for key in BY_KEY if key in keys]


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no number of rounds from 1 on")
    return int(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures the service beside the floor and a plain one.")
    parser.add_argument("--scenarios", dest="keys", type=_keys, default=list(BY_KEY), help="only these: list,patch")
    parser.add_argument("--rounds", type=_rounds, default=5, help="how often each is measured")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = _arguments()
    main(arguments.keys, arguments.rounds)
