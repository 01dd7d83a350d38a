"""Clients that read and write single elements and small bulks whatever happens, and remember the responses."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from random import Random
from typing import Any

from tests.services.bulk_state import marked, rows
from tests.services.service import Answer, Service

LIST = "/dimensions/v1/northwind/account/elements"
_DELETIONS = f"{LIST}-bulk-delete-async"
PROGRAMS = 20
# Accounts of a small bulk save, and of a deletion.
FEW = 5
_VERSIONS = (
    "SELECT documentation_link, count(*) FROM account_accountversion WHERE change <> '-' GROUP BY documentation_link"
)
# Accounts that are not as their latest version in the history, or have not exactly one logic.
_UNSOUND = (
    "WITH latest AS (SELECT repository_id, element_id, max(number) AS number FROM account_accountversion "
    "GROUP BY repository_id, element_id) SELECT count(*) FROM account_account AS stored "
    "LEFT JOIN latest ON latest.repository_id = stored.repository_id AND latest.element_id = stored.element_id "
    "LEFT JOIN account_accountversion AS version ON version.repository_id = latest.repository_id "
    "AND version.number = latest.number "
    "WHERE stored.documentation_link <> version.documentation_link OR 1 <> (SELECT count(*) FROM "
    "account_calculationlogic AS logic WHERE logic.account_id = stored.id "
    "AND logic.repository_id = stored.repository_id)"
)


@dataclass(frozen=True)
class Write:
    """A call that writes that many versions with its mark; the status is 0 when there was no answer."""

    mark: str
    versions: int
    status: int


@dataclass
class Record:
    """What was asked and answered."""

    # How often which status came, in the current phase.
    statuses: Counter[int] = field(default_factory=Counter)
    writes: list[Write] = field(default_factory=list)
    # The addresses of the deletions that were taken on.
    deletions: list[str] = field(default_factory=list)
    # How many writes are stored that were not answered, or by 503: whoever cut the connection cut it after the commit.
    stored_all_the_same: Counter[int] = field(default_factory=Counter)
    # What may never be answered.
    wrong: list[str] = field(default_factory=list)


class _Program:
    def __init__(self, service: Service, record: Record, number: int) -> None:
        self._service = service
        self._record = record
        self._name = f"program {number}"
        self._random = Random(number)
        self._count = 0
        self._ids: list[str] = []

    def call(self) -> None:
        """Do one of the things that clients do."""
        self._count += 1
        self._random.choice((self._create, self._modify, self._modify, self._save_some, self._read, self._list))()

    def remove(self) -> None:
        """Create some accounts, and have them deleted in the background."""
        self._count += 1
        ids = self._save_some()
        answer = self._send("POST", _DELETIONS, [{"id": id} for id in ids]) if ids else None
        if answer is not None and answer.status == 202:
            self._record.deletions.append(f"{_DELETIONS}/{answer.json()['dataProcessingId']}")

    def _create(self) -> None:
        id = mark = f"{self._name} {self._count}"
        if self._write("POST", LIST, marked(id, mark), mark, 1):
            self._ids.append(id)

    def _modify(self) -> None:
        if self._ids:
            mark = f"{self._name} {self._count}"
            address = f"{LIST}/{self._random.choice(self._ids)}".replace(" ", "%20")
            self._write("PATCH", address, {"documentationLink": mark}, mark, 1)

    def _save_some(self) -> list[str]:
        mark = f"{self._name} {self._count}"
        ids = [f"{mark} {number}" for number in range(FEW)]
        is_saved = self._write("POST", f"{LIST}-bulk", {"post": [marked(id, mark) for id in ids]}, mark, FEW)
        return ids if is_saved else []

    def _read(self) -> None:
        if self._ids:
            self._send("GET", f"{LIST}/{self._random.choice(self._ids)}".replace(" ", "%20"))

    def _list(self) -> None:
        self._send("GET", f"{LIST}?take=5&sort=-updateInfo.date")

    def _write(self, method: str, address: str, body: Any, mark: str, versions: int) -> bool:
        answer = self._send(method, address, body)
        status = 0 if answer is None else answer.status
        self._record.writes.append(Write(mark, versions, status))
        return status in (200, 201)

    def _send(self, method: str, address: str, body: Any = None) -> Answer | None:
        try:
            answer = self._service.send(method, address, body)
        except (OSError, HTTPException):
            self._record.statuses[0] += 1
            return None
        self._record.statuses[answer.status] += 1
        lacks_retry_after = answer.status == 503 and not answer.headers.get("Retry-After", "").isdigit()
        if answer.status not in (200, 201, 202, 503) or lacks_retry_after:
            self._record.wrong.append(f"{method} {address}: {answer}"[:1_000])
        return answer


@contextmanager
def calling(service: Service, pause: float = 0.02, *, deletes: bool = True) -> Iterator[Record]:
    """That many clients, with that `pause` in seconds between calls, until the block ends; usually there is one more,
    that has elements deleted."""
    record = Record()
    is_over = threading.Event()

    def live(number: int) -> None:
        program = _Program(service, record, number)
        act = program.call if number < PROGRAMS else program.remove
        while not is_over.is_set():
            act()
            time.sleep(pause if number < PROGRAMS else 0.5)

    threads = [threading.Thread(target=live, args=(number,)) for number in range(PROGRAMS + deletes)]
    for thread in threads:
        thread.start()
    try:
        yield record
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def discrepancies(url: str, record: Record) -> list[str]:
    """What the database does not have as it was answered; the deletions have ended by now."""
    stored = versions(url)
    found = list(record.wrong)
    for write in record.writes:
        count = stored.pop(write.mark, 0)
        is_answered = write.status in (200, 201)
        if count != write.versions and (is_answered or count != 0):
            found.append(f"{write}: {count} versions")
        record.stored_all_the_same[write.status] += count > 0 and not is_answered
    found += [f"{mark} was written by nobody" for mark in stored]
    return found + unsound(url)


def versions(url: str) -> dict[str, int]:
    """How many versions each call has written, by its mark."""
    return dict(rows(url, _VERSIONS))


def unsound(url: str) -> list[str]:
    """That accounts are not as their history says, if there are any."""
    ((count,),) = rows(url, _UNSOUND)
    return [f"{count} accounts differ from their history"] if count else []
