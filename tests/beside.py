"""Calls beside a test, each in a thread with a database connection of its own."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from django.db import connection

from tests.factories import read

T = TypeVar("T")


class Answer(NamedTuple):
    """What a request got, and after how many seconds."""

    status: int
    body: Any
    seconds: float


def beside(call: Callable[[], T]) -> Future[T]:
    """Begin the call; `result(seconds)` waits for its end."""

    def run() -> T:
        try:
            return call()
        finally:
            connection.close()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    return future


def asked(person: Any, method: str, path: str, body: Any) -> Future[Answer]:
    """Begin the request. If the repository is busy, the answer says when to retry."""
    person.raise_request_exception = False  # 503 is an answer

    def ask() -> Answer:
        begun = time.monotonic()
        response = person.send(method, path, body)
        answer = Answer(response.status_code, read(response), time.monotonic() - begun)
        if answer.status == 503:
            assert (answer.body["code"], response["Retry-After"]) == ("REPOSITORY_BUSY", "5")
        return answer

    return beside(ask)
