"""Clients that all count in one account: each reads it, adds one, and writes that if nobody else has written meanwhile.

    DATABASE_URL=postgresql://… python -m tests.load.lost_updates --programs 100 --increments 5

prints what was answered, and ends with an error when an increment is lost.
"""

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.services.bulk_state import marked, rows
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.service import Service, serving

_ELEMENT = "/dimensions/v1/northwind/account/elements/counted"


@dataclass(frozen=True)
class Outcome:
    """The number in the account, its versions in the history without the first, and how often which status came."""

    number: int
    versions: int
    statuses: Counter[int]

    @property
    def is_right(self) -> bool:
        """Whether each increment that was answered 200 is there, once, and nothing but 200 and 412 was answered."""
        return self.number == self.versions == self.statuses[200] and self.statuses.keys() <= {200, 412}


def count(service: Service, url: str, programs: int, increments: int) -> Outcome:
    """Have that many clients at the same time add one that many times each; a client that gets 412 begins again."""
    service.send("PUT", _ELEMENT, marked("counted", "counted") | {"customAttributes": {"number": "0"}})
    with ThreadPoolExecutor(programs) as pool:
        statuses = sum(pool.map(lambda _: _increment(service, increments), range(programs)), Counter[int]())
    number = int(service.send("GET", _ELEMENT).json()["customAttributes"]["number"])
    sql = "SELECT count(*) FROM account_accountversion WHERE element_id = 'counted' AND change = '~'"
    ((versions,),) = rows(url, sql)
    return Outcome(number, versions, statuses)


def _increment(service: Service, times: int) -> Counter[int]:
    statuses: Counter[int] = Counter()
    while statuses[200] < times:
        read = service.send("GET", _ELEMENT)
        number = int(read.json()["customAttributes"]["number"])
        patch = {"customAttributes": {"number": str(number + 1)}}
        statuses[service.send("PATCH", _ELEMENT, patch, If_Match=read.headers["ETag"]).status] += 1
    return statuses


def main(programs: int, increments: int) -> int:
    """Count in a separate service; return 0 when nothing is lost."""
    with TemporaryDirectory() as name, migrated_database(Path(name), os.environ.get("DATABASE_URL", "")) as url:
        begin = time.monotonic()
        with serving(url, prepare(url), Path(name)) as service:
            outcome = count(service, url, programs, increments)
        seconds = time.monotonic() - begin
    sys.stdout.write(
        f"{url.partition(':')[0]}: {programs} programs, {increments} times each, in {seconds:.0f} s: the number is "
        f"{outcome.number:,}, with {outcome.statuses[200]:,} x 200, {outcome.statuses[412]:,} x 412 "
        f"and {outcome.versions:,} versions\n"
    )
    return 0 if outcome.is_right and outcome.number == programs * increments else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.lost_updates")
    for option, default in (("--programs", 100), ("--increments", 5)):
        parser.add_argument(option, type=int, default=default)
    sys.exit(main(**vars(parser.parse_args())))
