"""Answers of many megabytes are stored in parts."""

import zlib
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from dimensions_site.idempotency.answers import PART_BYTES, keep, replay
from dimensions_site.idempotency.keys import KeyedRequest
from dimensions_site.idempotency.models import StoredAnswer, StoredAnswerPart
from tests.dimensions_site.idempotency.posts import Post
from tests.factories import content
from tests.services.big_bodies import accounts


@pytest.mark.contract("E3")
def test_the_elements_of_a_large_bulk_save_are_replayed_byte_for_byte(alice):
    """Streamed, with the same length, and read from what is stored the first time too."""
    post = Post("account", "elements-bulk", {"post": [*accounts(700)]}, 200)
    first, again = post.send(alice), post.send(alice)
    assert (first.status_code, first.streaming, again.streaming) == (200, True, True)
    assert first.body == again.body
    assert first["Content-Length"] == again["Content-Length"] == str(len(first.body))
    assert len(first.body) > 2 * PART_BYTES
    parts = [
        zlib.decompress(data) for data in StoredAnswerPart.objects.order_by("position").values_list("data", flat=True)
    ]
    assert b"".join(parts) == first.body
    assert {len(part) for part in parts[:-1]} == {PART_BYTES}


@pytest.mark.parametrize(
    "length", [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, 2 * PART_BYTES + 1]
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_body_of_any_length_comes_back(alice, northwind, length, streamed):
    """At the borders of parts, and however it was cut into pieces."""
    body = (b"0123456789abcde" * (length // 15 + 1))[:length]
    response: Any = HttpResponse(body, status=200, headers={"ETag": '"1"'})
    if streamed:
        pieces = [body[start : start + 99_999] for start in range(0, length, 99_999)]
        response = StreamingHttpResponse(iter(pieces), headers={"ETag": '"1"', "Content-Length": str(length)})
    request = KeyedRequest(alice.user, northwind, "key", "asked")
    assert content(keep(request, response)) == body
    again = replay(StoredAnswer.objects.get(), request)
    assert (content(again), again["ETag"], again["Content-Length"]) == (body, '"1"', str(length))
    assert again.streaming == (length > PART_BYTES)
