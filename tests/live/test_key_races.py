"""Clients that send one request with one key at the same moment, through real processes and threads."""

import pytest

from tests.factories import account
from tests.live.test_races import ACCOUNTS, PROGRAMS, ROUNDS, at_once
from tests.load.chaos.keys import KEPT
from tests.services.service import Answer, Service

BODIES = {
    ACCOUNTS: lambda turn: account(f"keyed-{turn}"),
    f"{ACCOUNTS}-bulk": lambda turn: {"put": [account(f"keyed-bulk-{number}") for number in range(turn, turn + 200)]},
    f"{ACCOUNTS}-bulk-delete-async": lambda turn: [{"id": f"keyed-{turn}"}],
}


def is_replayed(answer: Answer) -> bool:
    return answer.headers.get("Idempotent-Replayed") == "true"


@pytest.mark.contract("C13", "E2", "F2")
@pytest.mark.parametrize("path", BODIES)
def test_of_many_at_once_one_is_done_and_the_others_get_its_answer(service: Service, path: str):
    """At once, or after a 409 that asks for a retry; nobody gets a 5xx."""
    for turn in range(ROUNDS):
        key = {"Idempotency_Key": f"race {turn} {path}"}
        requests = [("POST", path, BODIES[path](turn))] * PROGRAMS
        answers = at_once(service, requests, **key)
        done = [answer for answer in answers if answer.status < 300 and not is_replayed(answer)]
        waiting = [answer for answer in answers if answer.status == 409]
        replays = [answer for answer in answers if is_replayed(answer)]
        assert (len(done), len(done) + len(waiting) + len(replays)) == (1, PROGRAMS)
        assert {(answer.json()["code"], answer.headers["Retry-After"]) for answer in waiting} <= {
            ("IDEMPOTENCY_KEY_IN_USE", "1")
        }
        replays += [service.send(*request, **key) for request in requests[: len(waiting)]]
        kept = done[0].body if len(done[0].body) <= KEPT else b'{"code":"SUCCESS"}'
        assert all((answer.status, answer.body) == (done[0].status, kept) for answer in replays)


def test_a_chunked_body_is_the_same_as_one_with_a_length(service: Service):
    """The received bytes count, not how they were split."""
    text = b'{"post": [' + b" " * 10_000 + b"]}"
    key = {"Idempotency_Key": "chunked"}
    first = service.send("POST", f"{ACCOUNTS}-bulk", text, **key)
    again = service.send("POST", f"{ACCOUNTS}-bulk", iter([text[:5_000], text[5_000:]]), **key)
    assert (again.status, again.body, is_replayed(again)) == (first.status, first.body, True)
