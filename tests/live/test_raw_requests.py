"""Requests as bytes: what is not HTTP is refused by the web server itself, and what barely is by the service, each as a
problem document (contracts B1 to B3)."""

import json

import pytest

from tests.services.service import Answer, Service

pytestmark = pytest.mark.contract("B1", "B2", "B3")

ELEMENTS = "/dimensions/v1/northwind/account/elements"
JSON = "Content-Type: application/json"
CHUNKED = f"{JSON}\r\nTransfer-Encoding: chunked"
REFUSED = {
    "letters that are not percent-encoded": (
        f"GET {ELEMENTS}/é HTTP/1.1\r\nHost: a\r\n\r\n",
        (400, "UNREADABLE_REQUEST", "%C3%A9 for é"),
    ),
    "a blank in the address": (
        f"GET {ELEMENTS}?filter=id == 1 HTTP/1.1\r\nHost: a\r\n\r\n",
        (400, "UNREADABLE_REQUEST", "%20 for a space"),
    ),
    "two lengths": (
        f"POST {ELEMENTS} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}",
        (400, "UNREADABLE_REQUEST", "CONTENT-LENGTH"),
    ),
    "a length below nothing": (
        f"POST {ELEMENTS} HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\n{{}}",
        (400, "UNREADABLE_REQUEST", "CONTENT-LENGTH"),
    ),
    "a header too many letters long": (
        f"GET {ELEMENTS} HTTP/1.1\r\nHost: a\r\nIf-None-Match: {'a' * 20_000}\r\n\r\n",
        (431, "HEADERS_TOO_LARGE", "16,384 bytes"),
    ),
    "an address without end": (f"GET /{'a' * 200_000} HTTP/1.1\r\nHost: a\r\n\r\n", (414, "URI_TOO_LONG", "too large")),
    "no host": (f"GET {ELEMENTS} HTTP/1.1\r\n\r\n", (400, "UNREADABLE_REQUEST", "needs a Host header")),
    "two hosts": (
        f"GET {ELEMENTS} HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        (400, "UNREADABLE_REQUEST", "HOST"),
    ),
    "two hosts in version 1.0": (
        f"GET {ELEMENTS} HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
        (400, "UNREADABLE_REQUEST", "HOST"),
    ),
    "no host for a page": ("GET /admin/ HTTP/1.1\r\n\r\n", (400, "UNREADABLE_REQUEST", "needs a Host header")),
    "another coding": (
        f"POST {ELEMENTS} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: morse\r\n\r\n",
        (501, "UNSUPPORTED_TRANSFER_CODING", "chunked"),
    ),
}


def send(
    service: Service, method: str, address: str, headers: str = "", body: bytes = b"", *, is_all: bool = False
) -> Answer:
    """The answer to a request with Alice's key and these bytes behind its head; the client may end it there."""
    head = (
        f"{method} {address} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {service.key}\r\nConnection: close\r\n{headers}"
    )
    return service.send_bytes(f"{head.rstrip()}\r\n\r\n".encode("latin-1") + body, is_all=is_all)


@pytest.mark.parametrize(("sent", "refusal"), REFUSED.values(), ids=REFUSED)
def test_a_request_that_cannot_be_read_is_refused_with_a_problem(service: Service, sent: str, refusal):
    status, code, words = refusal
    answer = service.send_bytes(sent.encode())
    problem = answer.json()
    assert answer.status == problem["status"] == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (answer.headers["Connection"], int(answer.headers["Content-Length"])) == ("close", len(answer.body))
    assert problem["code"] == code
    assert words in problem["detail"]
    assert len(problem["detail"]) < 300
    assert [error["code"] for error in problem.get("errors", [])] == ([code] if status == 400 else [])
    request_id = answer.headers["X-Request-ID"]
    assert problem["requestId"] == request_id
    assert any(json.loads(line).get("request_id") == request_id for line in service.log.read_text().splitlines())


def test_the_service_goes_on_after_what_it_could_not_read(service: Service):
    assert service.send_bytes(b"\x16\x03\x01\x02\r\n\r\n").status == 400
    assert service.send("GET", ELEMENTS).status == 200


def test_a_request_in_the_version_without_hosts_needs_none(service: Service):
    """HTTP/1.0 has no Host header; probes of load balancers send such requests."""
    assert service.send_bytes(b"GET /health/live HTTP/1.0\r\n\r\n").status == 200


def chunks(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"0\r\n\r\n", "EMPTY_BODY"),
        (b"zz\r\n{}\r\n0\r\n\r\n", "INCOMPLETE_BODY"),
        (b"2\r\n{}xx", "INCOMPLETE_BODY"),
        (b"2\r\n{}\r\n0\r\nHost: elsewhere\r\n\r\n", "INCOMPLETE_BODY"),
        (chunks(b"{"), "INVALID_JSON"),
    ],
    ids=["empty", "size", "end", "trailer", "json"],
)
def test_a_broken_chunked_body_is_400(service: Service, body: bytes, code: str):
    """Whatever the server makes of it, the response is a problem document."""
    answer = send(service, "POST", ELEMENTS, CHUNKED, body)
    assert (answer.status, answer.json()["code"]) == (400, code)


def test_a_chunked_body_beyond_the_limit_is_413(service: Service):
    """It is read up to the limit, not to its end: this one is never ended."""
    answer = send(service, "POST", ELEMENTS, CHUNKED, b"%x\r\n" % 10**12 + b" " * 3_000_000)
    assert (answer.status, answer.json()["code"]) == (413, "BODY_TOO_LARGE")


def test_a_body_that_ends_before_its_announced_length_is_400(service: Service):
    """What arrived could be complete JSON by accident; the message has both lengths."""
    answer = send(service, "POST", ELEMENTS, f"{JSON}\r\nContent-Length: 9", b'{"a": 1}', is_all=True)
    assert (answer.status, answer.json()["code"]) == (400, "INCOMPLETE_BODY")
    assert "8 bytes" in answer.json()["detail"]
    assert "announces 9" in answer.json()["detail"]


@pytest.mark.parametrize(
    "content_type",
    ["text/plain; a*=nonsense''%41", "application/json; charset=undefined", "application/json; charset=zlib"],
)
def test_a_content_type_on_which_django_fails_is_415(service: Service, content_type: str):
    answer = send(service, "POST", ELEMENTS, f"Content-Type: {content_type}\r\nContent-Length: 2", b"{}")
    assert answer.status == 415
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("charset", ["zlib", "idna", "punycode"])
def test_a_form_in_a_charset_on_which_django_fails_is_not_read(service: Service, charset: str):
    """Whoever brings a cookie has it read, to find its token."""
    body = b'--x\r\nContent-Disposition: form-data; name="username"\r\n\r\n\xff\r\n--x--\r\n'
    headers = f"Cookie: csrftoken={'a' * 32}\r\nContent-Type: multipart/form-data; boundary=x; charset={charset}\r\n"
    answer = send(service, "POST", "/admin/login/", f"{headers}Content-Length: {len(body)}", body)
    assert answer.status == 403


@pytest.mark.contract("A7")
def test_a_charset_does_not_bring_thousands_of_parameters_past_the_error_handler(service: Service):
    """Django would count them before any error handler exists."""
    query = "&".join(["p=1"] * 10_001)
    answer = send(service, "GET", f"{ELEMENTS}?{query}", f"{JSON}; charset=utf-8")
    assert (answer.status, answer.json()["code"]) == (400, "TOO_MANY_PARAMETERS")


def test_no_header_moves_the_application_to_another_path(service: Service):
    """A client could make gunicorn fail with it, or get a response about another address."""
    for prefix in ("/x", "/dimensions"):
        answer = send(service, "GET", f"{ELEMENTS}-count", f"Script_Name: {prefix}\r\n")
        assert (answer.status, type(answer.json())) == (200, int)


@pytest.mark.contract("D4")
def test_the_longest_filter_gets_through(service: Service):
    """4,096 characters outside the basic plane are 49,152 bytes on the line, six times gunicorn's usual limit."""
    answer = send(service, "GET", f"{ELEMENTS}-count?filter=documentationLink=={'%F0%9F%98%80' * (4_096 - 19)}")
    assert (answer.status, answer.json()) == (200, 0)


def test_a_longer_address_is_414(service: Service):
    """Up to the limit of the server itself as a problem document; beyond it the server refuses in its own format."""
    answer = send(service, "GET", f"{ELEMENTS}?filter={'a' * 70_000}")
    assert (answer.status, answer.json()["code"]) == (414, "URI_TOO_LONG")
    assert send(service, "GET", f"{ELEMENTS}?filter={'a' * 132_000}").status == 414


def test_the_server_reveals_no_version_and_leaves_no_files(service: Service):
    """No control socket in the home or runtime directory."""
    assert service.send("GET", ELEMENTS).headers["Server"] == "gunicorn"
    assert [entry.name for entry in service.log.parent.iterdir()] == ["gunicorn.log"]
