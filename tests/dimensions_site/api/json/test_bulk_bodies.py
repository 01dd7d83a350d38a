"""The parser for bodies with many elements: it checks the bytes and passes them to the view."""

import codecs
import gzip

import pytest
from django.test import Client

from tests.dimensions_site.api.json.refusals import refused

pytestmark = [pytest.mark.urls("tests.dimensions_site.api.echo"), pytest.mark.contract("B3")]

MEGABYTE = 1024 * 1024


def post(body: bytes, content_type: str = "application/json", **headers: str):
    """Send a body as it is; return the response."""
    address = "/dimensions/v1/r/bulk"
    return Client().generic("POST", address, body, content_type, headers={"X-Name": "alice", **headers})


@pytest.mark.parametrize("body", [b"[]", b'{"post": [}', '["现金"]'.encode()])
def test_the_view_gets_the_bytes_as_they_were_sent(body):
    """Their meaning is read later, part by part."""
    assert post(body).json() == {"read": repr(bytearray(body))}


def test_a_byte_order_mark_is_removed():
    assert post(codecs.BOM_UTF8 + b"[]").json() == {"read": "bytearray(b'[]')"}


def test_a_compressed_body_is_decompressed():
    response = post(gzip.compress(b"[]"), **{"Content-Encoding": "gzip"})
    assert response.json() == {"read": "bytearray(b'[]')"}


def test_the_limit_is_that_of_bulk_bodies(settings):
    """Whatever the limit of other bodies is."""
    settings.API_MAX_BODY_SIZE, settings.API_MAX_BULK_BODY_SIZE = 1_000, 2_000
    assert post(b" " * 1_998 + b"[]").status_code == 200
    assert "2,000 bytes" in refused(post(b" " * 1_999 + b"[]"), 413, "BODY_TOO_LARGE")


@pytest.mark.parametrize("body", [b" \r\n\t", codecs.BOM_UTF8])
def test_an_empty_body_is_400(body):
    refused(post(body), 400, "EMPTY_BODY")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'["\xff"]', "line 1, column 3"),
        ('["现\n金'.encode() + b"\xe7", "line 2, column 2"),
        (codecs.BOM_UTF8 + b"[\xc3(]", "line 1, column 2"),
        (b"[\xed\xa0\x80]", "line 1, column 2"),
        ("[]".encode("utf-16"), "line 1, column 1"),
        (b"x" * (MEGABYTE - 1) + "ä".encode() + b"\n\n\x80", "line 3, column 1"),
        (b"x" * (MEGABYTE - 1) + b"\xc3\xc3", f"line 1, column {MEGABYTE}"),
        ("ä".encode() * MEGABYTE + b"\xc3", f"line 1, column {MEGABYTE + 1}"),
    ],
)
def test_the_place_of_a_byte_that_is_not_utf_8_is_reported(body, place):
    """In characters, also where a character spans two of the windows through which the body is read."""
    assert place in refused(post(body), 400, "INVALID_ENCODING")


@pytest.mark.parametrize("size", range(MEGABYTE - 3, MEGABYTE + 1))
def test_a_character_across_two_windows_is_read(size):
    """Its bytes are seen at different times."""
    assert post(b"x" * size + "😀".encode() + b"x" * MEGABYTE).status_code == 200


def test_other_media_types_and_charsets_are_415():
    """The same rule as for one element."""
    refused(post(b"[]", "text/csv"), 415, "UNSUPPORTED_MEDIA_TYPE")
    refused(post(b"[]", "application/json; charset=latin-1"), 415, "UNSUPPORTED_CHARSET")
