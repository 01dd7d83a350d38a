"""A key belongs to one request: with a different one it is refused."""

import gzip
import json

import pytest

from tests.bulkops.jobs.deletions import ASYNC
from tests.dimensions_site.idempotency.posts import BULK, CREATE, DELETION, Post, code, is_replayed, received, stored
from tests.factories import account, currency, json_bytes

REUSED = (422, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.contract("B1")
@pytest.mark.parametrize(
    ("first", "other"),
    [
        (CREATE, Post("account", "elements", account("two"), 201)),
        (CREATE, Post("account", "elements", json.dumps(CREATE.body, indent=1), 201)),
        (CREATE, Post("account", "elements", {}, 400)),
        (CREATE, Post("account", "elements", b"{", 400)),
        (CREATE, Post("currency", "elements", CREATE.body, 400)),
        (CREATE, BULK),
        (BULK, Post("account", "elements-bulk?dryRun=false", BULK.body, 200)),
        (BULK, Post("currency", "elements-bulk", BULK.body, 400)),
        (DELETION, Post("account", f"{ASYNC}h", DELETION.body, 202)),
        (DELETION, Post("account", ASYNC, [{"id": "two"}], 202)),
        (Post("account", "elements", b"{", 400), CREATE),
    ],
)
def test_another_body_query_or_address_is_refused(alice, first, other):
    """Nothing of it is done, and the answer to the first stays."""
    answer = first.send(alice)
    done = stored()

    refused = other.send(alice)

    assert code(refused) == REUSED
    assert (refused.json()["title"], is_replayed(refused)) == ("Unprocessable Content", False)
    assert "month-end-2026-01" in refused.json()["detail"]
    assert stored() == done
    assert received(first.send(alice)) == received(answer)


@pytest.mark.contract("A1")
def test_the_same_route_under_the_other_prefix_is_another_address(alice):
    """Its answer would have another location."""
    CREATE.send(alice)
    other = alice.account("elements").replace("/dimensions/", "/api/aih/dimensions/")
    refused = alice.send("POST", other, CREATE.body, Idempotency_Key="month-end-2026-01")
    assert refused.status_code == 422


@pytest.mark.parametrize("post", [CREATE, BULK, DELETION], ids=str)
def test_a_compressed_body_is_the_same_as_an_uncompressed_one(alice, post):
    """However and whenever it was compressed: only the decompressed body counts."""
    first = post.send(alice)
    for level in (1, 9):
        compressed = gzip.compress(json_bytes(post.body), level, mtime=level)
        again = Post(post.dimension, post.rest, compressed, post.status).send(alice, Content_Encoding="gzip")
        assert is_replayed(again)
        assert received(again) == received(first)
    other = gzip.compress(json_bytes(currency("other")))
    assert code(Post(post.dimension, post.rest, other, 422).send(alice, Content_Encoding="gzip")) == REUSED


def test_other_headers_make_no_other_request(alice):
    """Not even those by which the client authenticates."""
    first = CREATE.send(alice)
    again = CREATE.send(alice, Accept="application/json, */*", X_Request_ID="again", If_None_Match="*")
    assert received(again) == received(first)
