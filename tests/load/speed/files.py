"""How fast accounts are imported from files and exported to them, and how much memory that takes.

    DATABASE_URL=postgresql://… python -m tests.load.speed.files 1000 100000

prints a table. Each line is one command as an operator starts it, its start included; memory is that of its process at
its peak (Linux). A row has ten columns: an id, texts in two languages, and eight settings of an account.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.service import PROJECT, environment, manage

_HEADINGS = (
    "id,descriptions.en,descriptions.de,nature,type,dataEntryAndReporting.class,conversion.conversionType,"
    "dataEntryAndReporting.validity.startDate,documentationLink,rules.grossAmountEqualICSum"
)
_DELETED = 10
_FORMATS = ("csv", "xlsx", "json", "ndjson")


@dataclass(frozen=True)
class Measurement:
    """What one command took, in seconds and in KiB at its peak, and the last line that it printed."""

    seconds: float
    peak: int
    last_line: str


def run(url: str, *words: str) -> Measurement:
    """Run a command of `manage.py` to its end; it must succeed."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, str(PROJECT / "manage.py"), *words],
        env=environment(url),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return Measurement(time.perf_counter() - start, usage.ru_maxrss, lines[-1])


def write(path: Path, count: int) -> None:
    """Write a CSV file of that many accounts."""
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{_HEADINGS}\n")
        for number in range(count):
            file.write(
                f"{number:07},Cash in bank {number},Bankguthaben {number},BALANCE_SHEET,NORMAL,,FINAL,2020-01-01,"
                f"https://example.com/{number},{'true' if number % 2 else 'false'}\n"
            )


def main(counts: Sequence[int]) -> None:
    """Measure every command for each number of accounts, on the database that DATABASE_URL names the kind of."""
    for count in counts:
        with (
            TemporaryDirectory() as folder,
            migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
        ):
            prepare(url)
            manage(url, "create_repository", "second", "--name=Second")
            _measure(url, Path(folder), count)


def _measure(url: str, folder: Path, count: int) -> None:
    table, shorter = folder / "accounts.csv", folder / "shorter.csv"
    write(table, count)
    write(shorter, count - _DELETED)
    _print(url, count, "import CSV, new", run(url, "import_accounts", "northwind", str(table)))
    _print(url, count, "import CSV, unchanged", run(url, "import_accounts", "northwind", str(table)))
    for format in _FORMATS:
        measurement = run(url, "export_accounts", "northwind", str(folder / f"exported.{format}"))
        _print(url, count, f"export {format.upper()}", measurement)
    workbook = str(folder / "exported.xlsx")
    _print(url, count, "import XLSX, new", run(url, "import_accounts", "second", workbook))
    _print(url, count, "import XLSX, unchanged", run(url, "import_accounts", "second", workbook))
    words = ("--mode=sync", f"--max-delete={_DELETED}")
    _print(url, count, f"sync CSV, {_DELETED} deleted", run(url, "import_accounts", "northwind", str(shorter), *words))


def _print(url: str, count: int, name: str, measurement: Measurement) -> None:
    sys.stdout.write(
        f"{url.partition(':')[0]:10} {count:8,} {name:22} {measurement.seconds:7.2f} s"
        f" {measurement.peak / 1024:6.0f} MiB  {measurement.last_line}\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
