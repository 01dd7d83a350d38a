"""A request that is sent again with its key gets the first answer, and is not performed again."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.bulkops.jobs.deletions import work_now
from tests.costs import statements
from tests.dimensions_site.idempotency.posts import (
    BULK,
    CREATE,
    DELETION,
    KEY,
    POSTS,
    Post,
    code,
    is_replayed,
    received,
    stored,
)
from tests.factories import account, content
from tests.routes import api_routes


@pytest.mark.contract("B1", "C13", "C16", "C18", "E2", "E4", "F1", "F2")
@pytest.mark.parametrize("post", POSTS, ids=str)
def test_a_repetition_gets_the_first_answer_byte_for_byte(alice, post):
    """Status, body and headers of creations, bulk saves, dry runs, deletions and refusals alike."""
    first = post.send(alice)
    assert (first.status_code, is_replayed(first)) == (post.status, False)
    done = stored()

    for _ in range(2):
        again = post.send(alice)
        assert received(again) == received(first)
        assert is_replayed(again)
    assert stored() == done


@pytest.mark.contract("B2")
def test_each_answer_has_the_id_of_its_own_request(alice):
    """The header; the body of a refusal is the first one, with the request id under which it was logged."""
    refused = Post("account", "elements", {"id": 1}, 400)
    first = refused.send(alice, X_Request_ID="first")
    again = refused.send(alice, X_Request_ID="again")
    assert (first["X-Request-ID"], again["X-Request-ID"]) == ("first", "again")
    assert again.json()["requestId"] == first.json()["requestId"] == "first"


def test_the_first_answer_stays_the_answer_whatever_happens_later(alice):
    """The element is changed, or deleted; a refusal stays one though the request would succeed now."""
    first = CREATE.send(alice)
    alice.send("PATCH", first["Location"], {"type": "DETAIL"})
    assert received(CREATE.send(alice)) == received(first)

    taken = CREATE.send(alice, key="another")
    assert code(taken) == (400, "ALREADY_EXISTS")
    DELETION.send(alice, key="deletion")
    work_now()
    assert alice.get(first["Location"]).status_code == 404
    assert received(CREATE.send(alice, key="another")) == received(taken)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "GET"])
def test_other_methods_ignore_the_header(alice, method):
    """They may be repeated as they are; not even a malformed key is refused."""
    CREATE.send(alice)
    for body in ({"type": "DETAIL"}, {"type": "NORMAL"}):
        for key in (KEY, "é"):
            sent = account("one", **body) if method == "PUT" else body
            answer = alice.send(method, alice.account("elements/one"), sent, Idempotency_Key=key)
            assert (answer.status_code, is_replayed(answer)) == (200, False)
            assert answer.json()["type"] == (body["type"] if method != "GET" else "NORMAL")


def test_every_post_of_the_interface_knows_the_header(alice):
    """A new route has it too, or fails here."""
    known = set()
    for route in api_routes():
        path = route.path("northwind")
        if "POST" in alice.options(path)["Allow"]:
            known.add(route.name)
            refused = alice.send("POST", path, {}, Idempotency_Key="é")
            assert refused.json()["errors"][0]["path"] == "Idempotency-Key", path
    deletions = {"deletions", "deletions-other-spelling"}
    plans = {"plans", "plan-apply", "plan-approve", "plan-reject"}
    assert known == {"elements", "elements-bulk", "elements-bulk-minimal"} | plans | deletions


@pytest.mark.contract("E1")
def test_a_key_costs_few_queries(alice):
    """The first request queries twice and writes the answer; a repetition queries once."""

    def cost(key: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            headers = {"Idempotency_Key": key} if key else {}
            content(alice.send("POST", alice.account("elements-bulk"), BULK.body, **headers))
        return len(statements(queries))

    cost("")
    # Each of the next calls is refused, because of what is stored by then.
    without = cost("")
    lock = 1 if connection.vendor == "postgresql" else 0
    assert cost(KEY) == without + 4 + lock
    assert cost(KEY) == 2
