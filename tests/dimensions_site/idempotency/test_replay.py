"""A request that is sent again with its key gets the first answer, and is not performed again."""

import json
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse, StreamingHttpResponse
from django.test.utils import CaptureQueriesContext

from account.models import Account
from dimensions_site.idempotency.answers import MAX_BODY_BYTES, KeyedRequest, keep, replay
from dimensions_site.idempotency.models import StoredAnswer
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


@pytest.mark.contract("E3")
def test_the_retry_of_a_large_bulk_save_learns_that_it_was_saved_and_what_it_counted(alice):
    """The first client gets every element, and nothing is saved twice."""
    post = Post("account", "elements-bulk", {"post": [account(f"{number}") for number in range(100)]}, 200)
    first, again = post.send(alice), post.send(alice)
    assert (len(json.loads(first.body)), len(first.body) > MAX_BODY_BYTES) == (100, True)
    assert (again.status_code, is_replayed(again), json.loads(again.body)) == (200, True, {"code": "SUCCESS"})
    assert (again["X-Created"], again["Preference-Applied"]) == ("100", "return=minimal")
    assert again["Content-Length"] == str(len(again.body))
    assert Account._base_manager.count() == 100


def test_the_retry_of_a_body_with_many_errors_gets_all_but_their_list(alice):
    post = Post("account", "elements-bulk", {"post": [{"id": f"{number}"} for number in range(300)]}, 400)
    first, again = post.send(alice), post.send(alice)
    assert len(first.body) > MAX_BODY_BYTES
    assert (code(again), is_replayed(again)) == (code(first), True)
    problem = json.loads(first.body)
    del problem["errors"]
    assert json.loads(again.body) == problem


@pytest.mark.parametrize("length", [0, 1, MAX_BODY_BYTES, MAX_BODY_BYTES + 1])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_body_up_to_the_limit_comes_back(alice, northwind, length, streamed):
    """However it was cut into pieces; the client gets it whole in any case."""
    body = (b"0123456789abcde" * (length // 15 + 1))[:length]
    response: Any = HttpResponse(body, headers={"ETag": '"1"'})
    if streamed:
        pieces = [body[start : start + 9_999] for start in range(0, length, 9_999)]
        response = StreamingHttpResponse(iter(pieces), headers={"ETag": '"1"', "Content-Length": str(length)})
    request = KeyedRequest(alice.user, northwind, "key", "asked")
    assert content(keep(request, response)) == body
    again = replay(StoredAnswer.objects.get(), request)
    assert content(again) == (body if length <= MAX_BODY_BYTES else b'{"code":"SUCCESS"}')
    assert (again["ETag"], again["Content-Length"]) == ('"1"', str(len(content(again))))
