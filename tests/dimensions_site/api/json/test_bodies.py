"""Bodies of requests: what is read, and how everything else is refused."""

import pytest
from django.test import Client

from tests.dimensions_site.api.json.refusals import refused

pytestmark = pytest.mark.urls("tests.dimensions_site.api.echo")

ADDRESS = "/dimensions/v1/r/echo/x"


@pytest.fixture
def post():
    """Send a body as it is; return the response."""

    def send(body: bytes, content_type: str = "application/json", method: str = "POST", **headers: str):
        return Client().generic(method, ADDRESS, body, content_type, headers={"X-Name": "alice"} | headers)

    return send


@pytest.mark.contract("B3", "C10")
@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=UTF-8",
        "application/json; charset=us-ascii",
        'application/json;charset="utf-8";v=1',
    ],
)
def test_json_in_utf_8_is_read(post, content_type):
    """However the header is written; numbers keep their digits."""
    response = post('{"ä": [1.50, true]}'.encode(), content_type)
    assert response.json() == {"read": "{'ä': [Decimal('1.50'), True]}"}


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "*/*", "application/*", "json", "application/json-patch"],
)
def test_other_content_types_are_415(post, content_type):
    """The sentence names what was sent and what is supported; a wildcard is not a media type of a body."""
    detail = refused(post(b'{"a": 1}', content_type), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert "application/json" in detail
    assert content_type in detail


@pytest.mark.contract("B3")
@pytest.mark.parametrize("charset", ["latin-1", "utf-16", "nonsense"])
def test_other_charsets_are_415(post, charset):
    """JSON is exchanged in UTF-8."""
    detail = refused(post(b"{}", f"application/json; charset={charset}"), 415, "UNSUPPORTED_CHARSET")
    assert charset in detail


@pytest.mark.contract("B3")
@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, identity", "gzip, gzip", "compress"])
def test_other_content_encodings_are_415(post, encoding):
    """The answer names what is accepted instead, as RFC 9110 asks."""
    response = post(b"{}", **{"Content-Encoding": encoding})
    assert encoding in refused(response, 415, "UNSUPPORTED_CONTENT_ENCODING")
    assert response["Accept-Encoding"] == "gzip, identity"


@pytest.mark.contract("B3")
def test_the_content_encoding_identity_means_no_encoding(post):
    """It says that nothing was done to the body."""
    assert post(b"{}", **{"Content-Encoding": "Identity"}).status_code == 200


@pytest.mark.contract("B3")
@pytest.mark.parametrize("body", [b"", b" \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_an_empty_body_is_400(post, body, method):
    """It must never count as an object without members, which a PATCH would apply."""
    assert "JSON object" in refused(post(body, method=method), 400, "EMPTY_BODY")


@pytest.mark.contract("B3")
def test_json_that_is_refused_is_400_with_every_failure(post):
    """What the strict reader finds is in `errors`."""
    response = post(b'{"id": 1, "id": 2, "a": {"b": NaN}}')
    refused(response, 400, "INVALID_REQUEST")
    assert [(error["path"], error["code"]) for error in response.json()["errors"]] == [
        ("id", "DUPLICATE_KEY"),
        ("a.b", "INVALID_NUMBER"),
    ]
    assert response.json()["errorCount"] == 2


@pytest.mark.contract("B3")
def test_a_body_of_the_largest_size_is_read_and_one_byte_more_is_413(post, settings):
    """The sentence names the limit."""
    settings.API_MAX_BODY_SIZE = 20
    assert post(b'"' + b"x" * 18 + b'"').status_code == 200
    assert "20 bytes" in refused(post(b'"' + b"x" * 19 + b'"'), 413, "BODY_TOO_LARGE")


@pytest.mark.contract("A6", "B3")
def test_a_body_is_not_read_before_the_client_is_known():
    """Without credentials the answer is 401, whatever the body is."""
    response = Client().generic("POST", ADDRESS, b"{", content_type="text/plain")
    assert response.status_code == 401
