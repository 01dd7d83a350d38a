"""Requests with an Idempotency-Key whose process or database dies in the middle, and which are then sent again.

    DATABASE_URL=postgresql://… python -m tests.load.chaos.keys --kills 150 --stops 15 --size 2000

kills gunicorn's worker with SIGKILL, on the kind of database that DATABASE_URL names, and stops a PostgreSQL server of
its own at once, at random moments of creations, bulk saves and starts of deletions; a table shows how each key was done
in the end (Linux). `--seed` repeats the moments.
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
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.load.chaos.bulk import MOST_LATE, SINGLE, TIMEOUT
from tests.services.bulk_state import Counts, counts, marked, rows
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.own_postgresql import own_postgresql
from tests.services.service import Answer, Service, serving

ELEMENTS = "/dimensions/v1/northwind/account/elements"
ROUTES = {"create": ELEMENTS, "bulk": f"{ELEMENTS}-bulk", "deletion": f"{ELEMENTS}-bulk-delete-async"}
DONE = {"create": 201, "bulk": 200, "deletion": 202}
# Bytes of a body that a retry gets, as in `dimensions_site.idempotency.answers`, which needs Django.
KEPT = 64 * 1024


@dataclass
class Tally:
    """How often a key was done: by the struck request, whose answer was repeated or had arrived, or by a repetition."""

    what: str
    # The first request was answered before the strike.
    answered: int = 0
    # It was committed, and its answer was lost; a repetition got it.
    replayed: int = 0
    # It was rolled back; a repetition did it.
    repeated: int = 0
    # How many repetitions got the error that the struck request is still running.
    still_running: int = 0
    other: list[str] = field(default_factory=list)

    @property
    def strikes(self) -> int:
        return self.answered + self.replayed + self.repeated + len(self.other)

    def __str__(self) -> str:
        return (
            f"{self.what:32} {self.strikes:7,} {self.answered:9,} {self.replayed:9,} {self.repeated:9,} "
            f"{self.still_running:8,} {len(self.other):6,}"
        )


HEADINGS = f"{'':32} {'strikes':>7} {'answered':>9} {'replayed':>9} {'repeated':>9} {'waited':>8} {'other':>6}"


class Ordeal:
    """Requests with keys, each of which is struck while it runs; bulk saves have `size` accounts, half of them new."""

    def __init__(self, service: Service, url: str, size: int, what: str) -> None:
        self.tally = Tally(what)
        self._service = service
        self._url = url
        self._size = size
        self._deletions = 0
        # What one request takes when nobody strikes, in seconds; corrected later, if a slow machine has delayed it.
        self._durations = {kind: self._time(kind) for kind in ROUTES}

    def strike(
        self, kind: str, moment: float | None, blow: Callable[[], None], *, repair: Callable[[], None] = lambda: None
    ) -> None:
        """Begin a request, deal the `blow` at its `moment`, `repair`, and repeat it until it is answered."""
        mark = f"strike-{self.tally.strikes}"
        first: list[Answer | None] = []

        def send() -> None:
            begin = time.monotonic()
            first.append(self._send(kind, mark))
            if first[0] is not None:
                self._durations[kind] = min(self._durations[kind], time.monotonic() - begin)

        call = threading.Thread(target=send)
        call.start()
        if moment is None:
            self._wait_until_committed(mark)
        else:
            time.sleep(moment * self._durations[kind])
        blow()
        call.join(TIMEOUT)
        repair()
        self._judge(kind, mark, first[0], self._repeat(kind, mark))

    def strike_each(
        self, strikes: "Strikes", blow: Callable[[], None], *, repair: Callable[[], None] = lambda: None
    ) -> None:
        """Do all of them, and more until one has met a running request.

        All may come too late on a machine that is busy with other things.
        """
        for kind, moment in strikes:
            self.strike(kind, moment, blow, repair=repair)
        late = 0
        while strikes and not self.tally.replayed + self.tally.repeated and late < MOST_LATE:
            late += 1
            self.strike("bulk", 1 / 3, blow, repair=repair)

    def _wait_until_committed(self, mark: str) -> None:
        deadline = time.monotonic() + TIMEOUT
        while not rows(self._url, "SELECT 1 FROM idempotency_storedanswer WHERE key = %s", mark):
            assert time.monotonic() < deadline, f"{mark} is not done"

    def _time(self, kind: str) -> float:
        self._send(kind, f"{kind} warm-up")  # of the first one the most is loading
        begin = time.monotonic()
        answer = self._send(kind, f"{kind} time")
        assert answer is not None
        assert answer.status == DONE[kind], answer.body[:1_000]
        self._deletions += 2 if kind == "deletion" else 0
        return time.monotonic() - begin

    def _send(self, kind: str, mark: str) -> Answer | None:
        """The response to a request of that kind with the mark as its key; None without a response or for 503."""
        try:
            answer = self._service.send("POST", ROUTES[kind], self._body(kind, mark), Idempotency_Key=mark)
        except (OSError, HTTPException):
            return None
        return None if answer.status == 503 else answer

    def _body(self, kind: str, mark: str) -> Any:
        if kind == "create":
            return marked(mark, mark)
        half = range(self._size // 2)
        if kind == "deletion":
            return [{"id": f"{mark} {number}"} for number in half]
        return {
            "post": [marked(f"{mark} {number}", mark) for number in half],
            "put": [marked(f"old {number}", mark) for number in half],
        }

    def _repeat(self, kind: str, mark: str) -> Answer:
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            answer = self._send(kind, mark)
            if answer is not None and answer.status != 409:
                return answer
            self.tally.still_running += answer is not None
            time.sleep(0.05)
        raise AssertionError(f"{mark} is not answered any more")

    def _judge(self, kind: str, mark: str, first: Answer | None, last: Answer) -> None:
        again = self._repeat(kind, mark)
        is_replay = "Idempotent-Replayed" in last.headers
        if (
            last.status != DONE[kind]
            or "Idempotent-Replayed" not in again.headers
            or again.body != _kept(last)
            or (first is not None and (_kept(first) != last.body or not is_replay))
            or not self._is_done_once(kind, mark, last)
        ):
            self.tally.other.append(f"{mark}: {kind} {first and first.status} {last.status} {last.body[:300]!r}")
        elif first is not None:
            self.tally.answered += 1
        elif is_replay:
            self.tally.replayed += 1
        else:
            self.tally.repeated += 1

    def _is_done_once(self, kind: str, mark: str, last: Answer) -> bool:
        """Elements have one version with the mark each; there is one deletion more, and the answer names it."""
        if kind == "deletion":
            self._deletions += 1
            ((stored,),) = rows(self._url, "SELECT count(*) FROM bulkops_dataprocessing")
            oid = last.json()["dataProcessingId"]
            ((named,),) = rows(self._url, "SELECT count(*) FROM bulkops_dataprocessing WHERE oid = %s", oid)
            return bool((stored, named) == (self._deletions, 1))
        size = 1 if kind == "create" else self._size
        return counts(self._url, mark) == Counts(size, size, size)


def _kept(answer: Answer) -> bytes:
    """The body of the answer as retries get it."""
    return answer.body if len(answer.body) <= KEPT else b'{"code":"SUCCESS"}'


# A kind of request, and the moment of the strike: 0 is the beginning of the request, 1 its usual end; None is when it
# has been committed, which an answer may follow or not.
Strikes = Sequence[tuple[str, float | None]]


def kill_workers(url: str, folder: Path, strikes: Strikes, size: int) -> Tally:
    """Kill the process that answers."""
    with serving(url, prepare(url), folder, **SINGLE) as service:

        def kill() -> None:
            for pid in service.workers():
                os.kill(pid, signal.SIGKILL)

        ordeal = Ordeal(service, url, size, f"worker killed, {url.partition(':')[0]}")
        ordeal.strike_each(strikes, kill)
        return ordeal.tally


def stop_database(folder: Path, strikes: Strikes, size: int) -> Tally:
    """Stop the PostgreSQL server at once, and start it again."""
    with own_postgresql() as server, serving(server.url, prepare(server.url), folder, **SINGLE) as service:
        ordeal = Ordeal(service, server.url, size, "database stopped, postgresql")
        ordeal.strike_each(strikes, server.stop, repair=server.start)
        return ordeal.tally


def main(kills: int, stops: int, size: int, seed: int) -> int:
    """Strike that often, print the table, and return 0 when each key was done exactly once."""
    random = Random(seed)
    kinds = [*islice(cycle(ROUTES), kills), *["bulk"] * stops]  # the others end before a server has stopped
    strikes = [(kind, random.choice((None, random.uniform(0, 1.2)))) for kind in kinds]
    tallies = []
    with TemporaryDirectory() as name:
        with migrated_database(Path(name), os.environ.get("DATABASE_URL", "")) as url:
            tallies.append(kill_workers(url, Path(name), strikes[:kills], size))
        if stops:
            tallies.append(stop_database(Path(name), strikes[kills:], size))
    sys.stdout.write(
        "\n".join([HEADINGS, *map(str, tallies), *(line for tally in tallies for line in tally.other), ""])
    )
    return 1 if any(tally.other for tally in tallies) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.chaos.keys")
    for option, default in (("--kills", 150), ("--stops", 15), ("--size", 2_000), ("--seed", 1)):
        parser.add_argument(option, type=int, default=default)
    sys.exit(main(**vars(parser.parse_args())))
