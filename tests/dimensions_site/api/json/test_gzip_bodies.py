"""Bodies compressed with gzip: read like any other, and never decompressed beyond the limit."""

import gzip
import json
import random
import tracemalloc

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.dimensions_site.api.json.refusals import refused
from tests.strategies import characters

ADDRESS = "/dimensions/v1/r/echo/x"
MEGABYTE = 1024 * 1024

pytestmark = [pytest.mark.urls("tests.dimensions_site.api.echo"), pytest.mark.contract("B3")]


def post(body: bytes, encoding: str = "gzip"):
    """Send a body as it is; return the response."""
    headers = {"X-Name": "alice", "Content-Encoding": encoding}
    return Client().generic("POST", ADDRESS, body, "application/json", headers=headers)


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZip", " gzip "])
def test_a_gzip_body_is_read_like_any_other(encoding):
    """However the header is written."""
    assert post(gzip.compress('{"ä": [1.50]}'.encode()), encoding).json() == {"read": "{'ä': [Decimal('1.50')]}"}


@given(st.lists(st.text(characters, max_size=20), max_size=5), st.integers(0, 9), st.data())
def test_members_one_after_the_other_are_one_body(texts, level, data):
    """Programs that compress piece by piece send such a body; a member may end anywhere, and be empty."""
    body = json.dumps(texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=4)))
    parts = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    response = post(b"".join(gzip.compress(part, level) for part in parts))
    assert response.json() == {"read": repr(texts)}


def test_a_large_body_is_decompressed_whole(settings):
    """Longer than the pieces that are read and decompressed; numbers do not compress well."""
    settings.API_MAX_BODY_SIZE = 8 * MEGABYTE
    numbers = [n * n for n in range(500_000)]
    body = json.dumps(numbers).encode()
    compressed = gzip.compress(body, 1)
    assert min(len(body) / 2, len(compressed)) > MEGABYTE
    assert post(compressed).json() == {"read": repr(numbers)}


def test_the_limit_applies_to_the_decompressed_body(settings):
    """The largest size is read; one byte more is 413, however little was sent, and the sentence says why."""
    settings.API_MAX_BODY_SIZE = 1_000
    assert post(gzip.compress(b'"' + b"x" * 998 + b'"')).status_code == 200
    detail = refused(post(gzip.compress(b'"' + b"x" * 999 + b'"')), 413, "BODY_TOO_LARGE")
    assert "1,000 bytes" in detail
    assert "after decompression" in detail


def test_the_limit_holds_for_the_compressed_body_too(settings):
    """It is detected before anything is decompressed."""
    settings.API_MAX_BODY_SIZE = 1_000
    assert "decompress" not in refused(post(b"\x1f\x8b" * 501), 413, "BODY_TOO_LARGE")


def test_a_body_that_decompresses_to_very_much_takes_no_memory(settings):
    """A gigabyte of zeros fits into a megabyte."""
    bomb = gzip.compress(b"\0" * MEGABYTE) * 1_000
    tracemalloc.start()
    try:
        refused(post(bomb), 413, "BODY_TOO_LARGE")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < settings.API_MAX_BODY_SIZE + 8 * MEGABYTE


def test_members_are_counted(settings):
    """Each costs time though it may hold nothing."""
    settings.API_MAX_BODY_SIZE = 8 * MEGABYTE
    empty = gzip.compress(b"")
    assert post(gzip.compress(b"[]") + empty * 99_999).json() == {"read": "[]"}
    assert "100,000" in refused(post(gzip.compress(b"[]") + empty * 100_000), 400, "UNREADABLE_GZIP")


@pytest.mark.parametrize(
    "body",
    [b"{}", b"\x1f\x8b\x08nonsense", gzip.compress(b"{}") + b"{}", gzip.compress(b"{}") + bytes(8), b"\x1f\x8b" * 10],
    ids=["not compressed", "damaged", "followed by others", "followed by zeros", "a header only"],
)
def test_what_is_not_gzip_is_400(body):
    """The sentence names the header that says otherwise."""
    assert "Content-Encoding" in refused(post(body), 400, "UNREADABLE_GZIP")


def test_a_checksum_that_does_not_fit_is_400():
    """The body was changed on its way."""
    compressed = bytearray(gzip.compress(b'{"a": 1}'))
    compressed[-8] ^= 1
    refused(post(bytes(compressed)), 400, "UNREADABLE_GZIP")


@pytest.mark.parametrize("missing", [1, 8, 9, 15])
def test_a_gzip_body_without_its_end_is_400(missing):
    """A truncated body never counts as the whole."""
    whole = gzip.compress(b'{"a": 1}')
    assert "missing" in refused(post(whole[:-missing]), 400, "INCOMPLETE_BODY")
    assert "missing" in refused(post(gzip.compress(b"[") + whole[:-missing]), 400, "INCOMPLETE_BODY")


def test_a_compressed_empty_body_is_400():
    """It does not count as an object without members."""
    refused(post(gzip.compress(b"")), 400, "EMPTY_BODY")


@pytest.mark.parametrize(
    ("body", "encoding", "advice"),
    [
        (gzip.compress(b"{}"), "identity", "The body is gzip; send Content-Encoding: gzip."),
        (gzip.compress(gzip.compress(b"{}")), "gzip", "The body is gzip once more; compress it only once."),
    ],
    ids=["without the header", "twice"],
)
def test_gzip_that_no_header_names_is_400_with_what_to_send(body, encoding, advice):
    """Its first bytes are no text in any encoding."""
    assert refused(post(body, encoding), 400, "INVALID_ENCODING") == advice


@pytest.mark.parametrize(("ratio", "status"), [(150, 200), (1000, 413)])
def test_a_large_body_that_is_compressed_beyond_any_real_one_is_413(settings, ratio, status):
    """As an uploaded file is; it can be sent uncompressed."""
    settings.API_MAX_BODY_SIZE = 128 * MEGABYTE
    size = 65 * MEGABYTE
    noise = json.dumps(random.Random(1).randbytes(size // ratio).hex()).encode()
    body = gzip.compress(noise + b" " * (size - len(noise)))
    response = post(body)
    assert response.status_code == status
    if status != 200:
        assert refused(response, 413, "BODY_TOO_LARGE") == (
            "The body is compressed by more than 200 to 1. Send it uncompressed."
        )
