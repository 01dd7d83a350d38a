"""Clients that write all the time, and remember the responses."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from tests.services.bulk_state import WITH_LOGIC, marked, rows
from tests.services.service import Answer, Service

ACCOUNTS = "/dimensions/v1/northwind/account/elements"
# How many accounts each of their bulk saves creates.
MANY = 20


@dataclass(frozen=True)
class Answered:
    """What was answered so far: single accounts by id, the marks of bulk saves, and the last step of the counter."""

    singles: dict[str, Any] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)
    steps: list[int] = field(default_factory=lambda: [0])

    def copy(self) -> "Answered":
        """What was answered until now."""
        return Answered(dict(self.singles), set(self.marks), list(self.steps))


@contextmanager
def writing(service: Service) -> Iterator[Answered]:
    """Clients that create single accounts and many at a time, and count in an account, until the block ends.

    The mark of an account says which call wrote it; that of a single one is its id.
    """
    answered = Answered()
    is_over = threading.Event()
    failed: list[BaseException] = []

    def single(number: int) -> None:
        id = f"single {number}"
        answer = _served(service, "POST", ACCOUNTS, marked(id, id))
        assert answer.status == 201, answer
        answered.singles[id] = answer.json()

    def bulk(number: int) -> None:
        mark = f"bulk {number}"
        body = {"post": [marked(f"{mark} {position}", mark) for position in range(MANY)]}
        assert _served(service, "POST", f"{ACCOUNTS}-bulk", body).status == 200
        answered.marks.add(mark)

    def count(number: int) -> None:
        patch = {"alternativeDescriptions": {"en": str(number + 1)}}
        assert _served(service, "PATCH", f"{ACCOUNTS}/counter", patch).status == 200
        answered.steps.append(number + 1)

    def repeat(write: Callable[[int], None]) -> None:
        number = 0
        try:
            while not is_over.is_set():
                write(number)
                number += 1
        except BaseException as error:
            failed.append(error)

    assert service.send("PUT", f"{ACCOUNTS}/counter", marked("counter", "counter")).status == 201
    threads = [threading.Thread(target=repeat, args=(write,)) for write in (single, bulk, count)]
    for thread in threads:
        thread.start()
    try:
        yield answered
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        assert failed == []


def stored(url: str) -> dict[str, tuple[int, int, int]]:
    """How many accounts, created versions, and calculation logics there are of each mark."""
    sources = (
        "account_account AS stored WHERE true",
        "account_accountversion AS stored WHERE change = '+'",
        f"account_account AS stored {WITH_LOGIC} WHERE true",
    )
    found = [
        dict(rows(url, f"SELECT documentation_link, count(*) FROM {source} GROUP BY documentation_link"))
        for source in sources
    ]
    return {mark: (found[0].get(mark, 0), found[1].get(mark, 0), found[2].get(mark, 0)) for mark in set().union(*found)}


def _served(service: Service, method: str, address: str, body: object) -> Answer:
    """The answer, once the database has served the request: on SQLite three busy writers may block it."""
    while (answer := service.send(method, address, body)).status == HTTPStatus.SERVICE_UNAVAILABLE:
        time.sleep(0.1)
    return answer
