"""A client that reads, writes, saves many and deletes, and knows what has to be stored of its own."""

import json
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from random import Random
from typing import Any
from urllib.parse import quote

from tests.load.soak.measurements import Measurements
from tests.services.bulk_state import marked
from tests.services.service import Answer, Service

ELEMENTS = "/dimensions/v1/northwind/account/elements"
# How many of a hundred requests are of each kind: 80 read.
SHARES = {
    "single": 25, "list": 20, "fetch": 20, "count": 15,
    "create": 4, "replace": 3, "modify": 6, "bulk save": 4, "deletion": 3,
}  # fmt: skip
# Elements of one bulk save.
SMALLEST, LARGEST = 100, 1_000
# A client that has more than this deletes what is oldest, down to half of it.
MANY = 2_000
# Requests that a client makes on the slowest machine, so that there are some of each kind that is not rare.
FEWEST = 20
_TIMEOUT = 120


class Client:
    """One client on one connection; nobody else writes its elements, whose ids begin with its `name`."""

    def __init__(self, service: Service, name: str, seed: int) -> None:
        self.measurements = Measurements()
        # What has to be stored: the mark of the last write by id.
        self.stored: dict[str, str] = {}
        # What the history has to contain: versions by their kind.
        self.versions = {"+": 0, "~": 0, "-": 0}
        self._name = name
        self._key = service.key
        self._connection = HTTPConnection("127.0.0.1", service.port, timeout=_TIMEOUT)
        self._random = Random(f"{seed}:{name}")
        self._count = 0
        # Ids that are being deleted, by the address of the deletion.
        self._leaving: dict[str, list[str]] = {}
        self._turns: dict[str, Callable[[], None]] = {
            "single": self._read_one, "list": self._list, "fetch": self._fetch, "count": self._count_all,
            "create": self._create, "replace": self._replace, "modify": self._modify,
            "bulk save": self._save, "deletion": self._delete,
        }  # fmt: skip

    def work(self, until: float, pause: float) -> None:
        """Call until that moment (`time.monotonic`), with pauses of that many seconds in the mean."""
        self._save()
        turns = 0
        while turns < FEWEST or time.monotonic() < until:
            turns += 1
            kind = self._random.choices(tuple(SHARES), tuple(SHARES.values()))[0]
            self._turns[kind if self.stored else "create"]()
            time.sleep(self._random.expovariate(1 / pause))
        self._await_deletions()
        self._connection.close()

    # --- Reading -------------------------------------------------------------------------------

    def _read_one(self) -> None:
        id, mark = self._one()
        answer = self._call("single", "GET", f"/{id}", expected=200)
        if answer:
            self._expect(answer.json()["documentationLink"] == mark, f"{id} is not what was written: {mark}")

    def _list(self) -> None:
        skip = self._random.randrange(len(self.stored))
        answer = self._call("list", "GET", f"?filter=id=like={self._name}-&skip={skip}&take=100", expected=200)
        for element in answer.json() if answer else ():
            self._expect_mark(element)

    def _fetch(self) -> None:
        id, mark = self._one()
        query = f"-fetch?properties=id,documentationLink&filter={quote(f'documentationLink=={mark}')}&take=100"
        answer = self._call("fetch", "GET", query, expected=200)
        if answer:
            elements = answer.json()
            self._expect(
                id in {element["id"] for element in elements[:100]} or len(elements) == 100, f"{id} is missing"
            )
            for element in elements:
                self._expect_mark(element)

    def _count_all(self) -> None:
        answer = self._call("count", "GET", f"-count?filter=id=like={self._name}-", expected=200)
        leaving = sum(map(len, self._leaving.values()))
        if answer:
            found = answer.json()
            self._expect(0 <= found - len(self.stored) <= leaving, f"{found} instead of {len(self.stored)} elements")

    def _one(self) -> tuple[str, str]:
        return self._random.choice(list(self.stored.items()))

    def _expect_mark(self, element: dict[str, Any]) -> None:
        mark = self.stored.get(element["id"])
        found = element["documentationLink"]
        self._expect(mark in (found, None), f"{element['id']} has {found} instead of {mark}")

    # --- Writing -------------------------------------------------------------------------------

    def _create(self) -> None:
        (id,), mark = self._new(1), self._mark()
        if self._call("create", "POST", "", marked(id, mark), expected=201):
            self._note([id], mark, "+")

    def _replace(self) -> None:
        (id, _), mark = self._one(), self._mark()
        if self._call("replace", "PUT", f"/{id}", marked(id, mark), expected=200):
            self._note([id], mark, "~")

    def _modify(self) -> None:
        (id, _), mark = self._one(), self._mark()
        if self._call("modify", "PATCH", f"/{id}", {"documentationLink": mark}, expected=200):
            self._note([id], mark, "~")

    def _save(self) -> None:
        count = self._random.randint(SMALLEST, LARGEST)
        old = self._random.sample(sorted(self.stored), min(count // 2, len(self.stored)))
        new, mark = self._new(count - len(old)), self._mark()
        body = {"post": [marked(id, mark) for id in new], "put": [marked(id, mark) for id in old]}
        if self._call("bulk save", "POST", "-bulk", body, expected=200):
            self._note(new, mark, "+")
            self._note(old, mark, "~")

    def _delete(self) -> None:
        """The oldest elements, if there are many; otherwise one."""
        count = len(self.stored) - MANY // 2 if len(self.stored) > MANY else 1
        ids = list(self.stored)[:count]
        answer = self._call("deletion", "POST", "-bulk-delete-async", [{"id": id} for id in ids], expected=202)
        if answer:
            self._leaving[answer.headers["Location"].removeprefix(ELEMENTS)] = ids
            self.versions["-"] += len(ids)
            for id in ids:
                del self.stored[id]

    def _await_deletions(self) -> None:
        deadline = time.monotonic() + _TIMEOUT
        for address, ids in self._leaving.items():
            while (found := self._progress(address)) and found["status"] == "RUNNING" and time.monotonic() < deadline:
                time.sleep(0.2)
            (counts,) = found["parameters"] if found else ({},)
            self._expect(counts.get("deleted") == len(ids), f"a deletion of {len(ids)} elements: {found}")

    def _progress(self, address: str) -> dict[str, Any]:
        answer = self._call("status", "GET", address, expected=200)
        return dict(answer.json()[0]) if answer else {}

    def _new(self, count: int) -> list[str]:
        first, self._count = self._count, self._count + count
        return [f"{self._name}-{number}" for number in range(first, first + count)]

    def _mark(self) -> str:
        return f"{self._name}:{self.measurements.requests}"

    def _note(self, ids: list[str], mark: str, kind: str) -> None:
        self.stored |= dict.fromkeys(ids, mark)
        self.versions[kind] += len(ids)

    # --- Calling -------------------------------------------------------------------------------

    def _call(self, kind: str, method: str, rest: str, body: Any = None, *, expected: int) -> Answer | None:
        """Call below the elements; return the answer when it is as expected, and note anything else."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-API-Key": self._key, "Content-Type": "application/json"}
        begin = time.monotonic()
        try:
            self._connection.request(method, f"{ELEMENTS}{rest}", data, headers)
            response = self._connection.getresponse()
            answer = Answer(response.status, dict(response.getheaders()), response.read())
        except (OSError, HTTPException) as error:
            self._connection.close()
            self.measurements.errors.append(f"{kind}: {error!r}")
            return None
        finally:
            self.measurements.seconds[kind].append(time.monotonic() - begin)
        if answer.status == 503 and "Retry-After" in answer.headers:
            self.measurements.refused += 1
            return None
        self._expect(answer.status == expected, f"{kind}: {answer.status} {answer.body[:500]!r}")
        return answer if answer.status == expected else None

    def _expect(self, holds: bool, complaint: str) -> None:
        if not holds:
            self.measurements.errors.append(complaint)
