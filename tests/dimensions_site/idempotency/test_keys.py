"""Which keys there are, and for which requests."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimensions_site.api.errors import Problem
from dimensions_site.idempotency.answers import checked_key
from dimensions_site.idempotency.models import StoredAnswer
from tests.bulkops.jobs.deletions import ASYNC
from tests.dimensions_site.idempotency.posts import BULK, CREATE, DELETION, Post, code, is_replayed, received, stored
from tests.factories import account, currency, json_bytes

printable = st.characters(min_codepoint=0x20, max_codepoint=0x7E)
# How a server decodes the bytes of a header.
latin = st.characters(max_codepoint=0xFF)


@given(st.text(printable, min_size=1, max_size=255).map(str.strip).filter(bool))
def test_any_printable_ascii_characters_are_a_key(key):
    assert checked_key(key) == key


@given(st.text(latin, max_size=300))
def test_anything_else_is_refused_and_nothing_fails(key):
    """Too long ones, empty ones, control characters, letters beyond ASCII."""
    if 1 <= len(key) <= 255 and key.isascii() and key.isprintable() and key == key.strip(" "):
        assert checked_key(key) == key
    else:
        with pytest.raises(Problem) as refusal:
            checked_key(key)
        assert (refusal.value.status_code, refusal.value.failures[0].path) == (400, "Idempotency-Key")


@pytest.mark.parametrize("key", ["a", "x" * 255, '"8e03978e-40d5-43e8-bc93-6894a57f9324"', "a, b; c=d/e?f%20~!"])
def test_a_key_is_taken_as_it_stands(alice, key):
    """With its quotes, and up to 255 characters."""
    assert CREATE.send(alice, key).status_code == 201
    assert is_replayed(CREATE.send(alice, key))
    assert code(CREATE.send(alice, key.swapcase() + "." if len(key) < 255 else key[1:])) == (400, "ALREADY_EXISTS")


@pytest.mark.contract("B1")
@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\tb", "\x7f"])
def test_another_one_is_refused_with_its_value_and_what_would_be_right(alice, key):
    """Nothing is done, as if it had no key."""
    refused = CREATE.send(alice, key)
    assert code(refused) == (400, "INVALID")
    (error,) = refused.json()["errors"]
    assert error["path"] == "Idempotency-Key"
    expected = f'Idempotency-Key must be 1 to 255 printable ASCII characters; got "{key[:100]}'
    assert error["message"].startswith(expected)
    assert not any(stored().values())


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


@pytest.mark.contract("E4")
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_a_dry_run_is_not_remembered(alice, dimension):
    """It does nothing, so nothing can be done twice: the same key is available for the save itself."""
    for _ in range(2):
        response = Post(dimension, "elements-bulk?dryRun=true", {"post": []}, 200).send(alice, key="both")
        assert (response.status_code, is_replayed(response)) == (200, False)
    assert not StoredAnswer.objects.exists()
    post = Post("account", "elements-bulk", BULK.body, 200)
    saved = post.send(alice, key="both")
    assert saved.status_code == 200
    assert not is_replayed(saved)
    assert is_replayed(post.send(alice, key="both"))


@pytest.mark.contract("E4")
def test_a_key_of_a_dry_run_has_to_be_a_key(alice):
    """Whether it is still stored or not."""
    assert code(Post("account", "elements-bulk?dryRun=true", BULK.body, 400).send(alice, key="x" * 256)) == (
        400,
        "INVALID",
    )
