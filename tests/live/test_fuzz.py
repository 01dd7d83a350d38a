"""The short form of the hostile requests; `make fuzz` sends twenty thousand."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dimensions_site.api.test_methods import PERMITTED
from tests.lengths import tries
from tests.load.fuzz.answers import answers, complaint
from tests.load.fuzz.corpus import Corpus
from tests.load.fuzz.holdings import hand_out
from tests.load.fuzz.message import Message
from tests.load.fuzz.ordeal import Ordeal, hostile_house
from tests.load.fuzz.tokens import TOKENS
from tests.services.database import migrated_database

SEED = 20
COUNT = tries(200, long=1_000)

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="finds the processes in /proc")


@pytest.fixture
def ordeal(tmp_path: Path) -> Iterator[Ordeal]:
    with (
        migrated_database(tmp_path, os.environ.get("DATABASE_URL", "")) as url,
        hostile_house(url, tmp_path, SEED) as prepared,
    ):
        yield prepared


@pytest.mark.contract("B1", "B2", "B3")
def test_hostile_requests_break_nothing(ordeal: Ordeal):
    """No failure, no dead process, each answer is HTTP and explains itself, and nothing changes unexpectedly."""
    report = ordeal.run(COUNT)
    assert report.findings == []
    assert report.mutated.total() + report.in_sequences.total() >= COUNT
    assert {"200", "400", "404"} <= report.mutated.keys()


GOOD = b"\r\n".join(
    [
        b"HTTP/1.1 404 Not Found",
        b"X-Request-ID: r",
        b"Content-Type: application/problem+json",
        b"Content-Length: %d",
        b"",
        b"%s",
    ]
)
PROBLEM = b'{"type":"about:blank","title":"Not Found","status":404,"detail":"d","code":"NOT_FOUND","requestId":"r"}'


def judged(received: bytes) -> list[str | None]:
    return [complaint(reply, b"/dimensions/v1/none", to_head=False) for reply in answers(received, to_head=False)]


@pytest.mark.parametrize(
    ("wrong", "complaints"),
    [
        ((b"", b""), [None]),
        ((b"404 Not Found", b"500 Internal Server Error"), ["status 500"]),
        ((b"X-Request-ID: r\r\n", b""), ["status 404 without X-Request-ID"]),
        ((b"problem+json", b"json"), ["404 as application/json"]),
        ((b"404 Not Found", b"503 Service Unavailable"), ["503 without Retry-After"]),
        ((b'"detail":"d",', b""), None),
        ((b'"requestId":"r"', b'"requestId":"s"'), None),
        ((b'"status":404', b'"status":404,'), None),
    ],
)
def test_what_is_wrong_with_an_answer_is_noticed(wrong: tuple[bytes, bytes], complaints: list[str | None] | None):
    """Otherwise the hostile requests would find nothing, however the service answered."""
    body = PROBLEM.replace(*wrong) if wrong[0] else PROBLEM
    head = (GOOD % (len(body), b"")).replace(*wrong) if wrong[0] else GOOD % (len(body), b"")
    found = judged(head + body)
    assert found == complaints if complaints is not None else [each is not None for each in found] == [True]


def test_every_route_and_method_is_among_the_requests():
    """In both dimensions: a new route needs a valid request here."""
    wanted = {
        f"{method} {route} of {dimension}"
        for route, methods in PERMITTED.items()
        for method in methods - {"HEAD", "OPTIONS"}  # the mutations generate these from the others
        for dimension in ("currency", "account")
    }
    assert wanted <= Corpus("key").recipes.keys()


@pytest.mark.django_db
@pytest.mark.contract("G1")
@pytest.mark.parametrize("name", sorted(TOKENS.keys() - {"POST /auth/jwt/refresh"}))  # nobody knows such a token before
def test_what_asks_for_tokens_is_taken(name: str):
    """Otherwise the mutations would never get past authentication."""
    hand_out(User.objects.create_user("frank", password="frank-password"))
    messages = [TOKENS[name](Random(number)) for number in range(30)]
    answers = [_sent(message) for message in messages]
    assert {200, 302} & {answer.status_code for answer in answers}
    assert not any("/login/" in answer.get("Location", "") for answer in answers)


def _sent(message: Message) -> Any:
    """The answer to the request as it is, without a server."""
    headers = {header.decode(): value.decode() for header, value in message.headers}
    kind = headers.pop("Content-Type", "")
    return Client().generic(message.method.decode(), message.target.decode(), message.body, kind, headers=headers)
