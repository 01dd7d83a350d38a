"""Bulk saves whose process or database dies in the middle: nothing of each is stored, or everything.

    DATABASE_URL=postgresql://… python -m tests.load.chaos.bulk --kills 100 --stops 20 --size 5000

kills gunicorn's worker with SIGKILL, on the kind of database that DATABASE_URL names, and stops a PostgreSQL server of
its own at once, at random moments of a bulk save; a table shows what was left (Linux). `--seed` repeats the moments.
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.services.bulk_state import Counts, counts, marked, rows
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.own_postgresql import own_postgresql
from tests.services.service import Answer, Service, serving

LIST = "/dimensions/v1/northwind/account/elements"
# The time within which the service has to answer again, in seconds.
TIMEOUT = 60
# How many strikes may come after the end of their calls.
MOST_LATE = 20
# One process, so that the one that is killed is the one running.
SINGLE = {"WEB_CONCURRENCY": "1"}


@dataclass
class Tally:
    """What a number of strikes left: nothing of the call, everything, or something else, which must never happen."""

    what: str
    nothing: int = 0
    everything: int = 0
    other: list[str] = field(default_factory=list)
    # How many calls got no answer or an error; the others had ended before the strike.
    interrupted: int = 0
    # The longest time until the service answered again, in seconds.
    slowest: float = 0.0

    def __str__(self) -> str:
        strikes = self.nothing + self.everything + len(self.other)
        return (
            f"{self.what:32} {strikes:7,} {self.interrupted:12,} {self.nothing:8,} {self.everything:11,} "
            f"{len(self.other):6,} {self.slowest:9.1f} s"
        )


HEADINGS = f"{'':32} {'strikes':>7} {'interrupted':>12} {'nothing':>8} {'everything':>11} {'other':>6} {'back in':>11}"


class Ordeal:
    """Bulk saves of `size` accounts, half new and half changed, of which each may be struck while it runs.

    The service has one process (`SINGLE`); `url` is the address of its database.
    """

    def __init__(self, service: Service, url: str, size: int, what: str) -> None:
        self.tally = Tally(what)
        self._service = service
        self._url = url
        self._size = size
        self._accounts = size // 2
        self._number = 0
        self._call("put", [f"old-{number}" for number in range(self._accounts)], "before")
        self._prepare("warm-up")
        begin = time.monotonic()
        assert self._save("warm-up") == 200
        # What one call takes when nobody strikes, in seconds; if a slow machine has delayed it, it is corrected later.
        self.duration = time.monotonic() - begin

    def strike(self, moment: float, blow: Callable[[], None], *, repair: Callable[[], None] = lambda: None) -> None:
        """Begin a call, deal the `blow` after `moment` seconds, `repair`, and add what is left to the tally."""
        self._number += 1
        mark = f"strike-{self._number}"
        self._prepare(mark)
        statuses: list[int] = []

        def save() -> None:
            begin = time.monotonic()
            statuses.append(self._save(mark))
            if statuses == [200]:
                self.duration = min(self.duration, time.monotonic() - begin)

        call = threading.Thread(target=save)
        call.start()
        time.sleep(moment)
        blow()
        call.join()
        repair()
        begin = time.monotonic()
        self._wait_until_served()
        self.tally.slowest = max(self.tally.slowest, time.monotonic() - begin)
        self._judge(mark, statuses[0])

    def _prepare(self, mark: str) -> None:
        """Do what comes before the call that may be struck."""

    def _save(self, mark: str) -> int:
        """Change the old accounts and create new ones, all with the mark; return the status, 0 for no answer."""
        answer = self._answer(f"{LIST}-bulk", self._body(mark))
        status = 0 if answer is None else answer.status
        self._accounts += self._size // 2 if status == 200 else 0
        return status

    def _body(self, mark: str) -> dict[str, Any]:
        half = self._size // 2
        return {
            "post": [marked(f"{mark}-{number}", mark) for number in range(half)],
            "put": [marked(f"old-{number}", mark) for number in range(half)],
        }

    def _answer(self, address: str, body: Any, **headers: str) -> Answer | None:
        """The answer to a `POST`, None without one."""
        try:
            return self._service.send("POST", address, body, **headers)
        except (OSError, HTTPException):
            return None

    def _call(self, operation: str, ids: Sequence[str], mark: str) -> None:
        answer = self._service.send("POST", f"{LIST}-bulk", {operation: [marked(id, mark) for id in ids]})
        assert answer.status == 200, answer.body[:1_000]

    def _wait_until_served(self) -> None:
        """Return when the service says that its database is in order, lists, and saves many again."""
        deadline = time.monotonic() + TIMEOUT
        while not self._is_served():
            assert time.monotonic() < deadline, "the service does not answer any more"
            time.sleep(0.05)
        # It waits for the locks of the call that was struck, if those are still held.
        self._call("put", ["after"], f"after {self._number}")
        self._accounts += 1 if self._number == 1 else 0

    def _is_served(self) -> bool:
        try:
            ready = self._service.send("GET", "/health/ready").json()["checks"]["database"]
            return bool(ready == "ok" and self._service.send("GET", f"{LIST}?take=1").status == 200)
        except (OSError, HTTPException):
            return False

    def _judge(self, mark: str, status: int) -> None:
        found = counts(self._url, mark)
        ((stored,),) = rows(self._url, "SELECT count(*) FROM account_account")
        all_of_it = Counts(self._size, self._size, self._size)
        was_stored = found == all_of_it
        if status != 200 and was_stored:
            self._accounts += self._size // 2  # it was saved, and the answer was lost
        is_sound = found in (Counts(0, 0, 0), all_of_it) and stored == self._accounts
        if not is_sound or (status == 200 and not was_stored) or status not in (0, 200, 503):
            self.tally.other.append(f"{mark}: status {status}, {found}, {stored} of {self._accounts} accounts")
        elif was_stored:
            self.tally.everything += 1
        else:
            self.tally.nothing += 1
        self.tally.interrupted += status != 200

    def strike_each(
        self, moments: Sequence[float], blow: Callable[[], None], *, repair: Callable[[], None] = lambda: None
    ) -> None:
        """Strike a call at each of the moments, in the duration of one, and more until one has met a running call.

        All may come too late on a machine that is busy with other things.
        """
        for moment in moments:
            self.strike(moment * self.duration, blow, repair=repair)
        late = 0
        while moments and not self.tally.interrupted and late < MOST_LATE:
            late += 1
            self.strike(self.duration / 3, blow, repair=repair)


def kill_workers(
    url: str, folder: Path, moments: Sequence[float], size: int, kind: "type[Ordeal]" = Ordeal, what: str = "worker"
) -> Tally:
    """Kill the process that saves, at each of the `moments`: 0 is the beginning of the call, 1 its usual end."""
    with serving(url, prepare(url), folder, **SINGLE) as service:

        def kill() -> None:
            for pid in service.workers():
                os.kill(pid, signal.SIGKILL)

        ordeal = kind(service, url, size, f"{what} killed, {url.partition(':')[0]}")
        ordeal.strike_each(moments, kill)
        return ordeal.tally


def stop_database(folder: Path, moments: Sequence[float], size: int) -> Tally:
    """Stop the PostgreSQL server at once at each of the `moments`, and start it again."""
    with own_postgresql() as server, serving(server.url, prepare(server.url), folder, **SINGLE) as service:
        ordeal = Ordeal(service, server.url, size, "database stopped, postgresql")
        ordeal.strike_each(moments, server.stop, repair=server.start)
        return ordeal.tally


def main(kills: int, stops: int, size: int, seed: int) -> int:
    """Strike that often, print the table, and return 0 when only permitted states were left."""
    random = Random(seed)
    moments = [random.uniform(0, 1.1) for _ in range(kills + stops)]
    tallies = []
    with TemporaryDirectory() as name:
        with migrated_database(Path(name), os.environ.get("DATABASE_URL", "")) as url:
            tallies.append(kill_workers(url, Path(name), moments[:kills], size))
        if stops:
            tallies.append(stop_database(Path(name), moments[kills:], size))
    sys.stdout.write(
        "\n".join([HEADINGS, *map(str, tallies), *(line for tally in tallies for line in tally.other), ""])
    )
    return 1 if any(tally.other for tally in tallies) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.chaos.bulk")
    for option, default in (("--kills", 50), ("--stops", 10), ("--size", 10_000), ("--seed", 1)):
        parser.add_argument(option, type=int, default=default)
    sys.exit(main(**vars(parser.parse_args())))
