"""Of large answers only the code is stored."""

import json
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from account.models import Account
from dimensions_site.idempotency.answers import MAX_BODY_BYTES, KeyedRequest, keep, replay
from dimensions_site.idempotency.models import StoredAnswer
from tests.dimensions_site.idempotency.posts import Post, code, is_replayed
from tests.factories import account, content


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
