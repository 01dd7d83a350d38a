"""What is not HTTP is refused by the web server itself, as a problem document (contracts B1 to B3)."""

import json
import socket

import pytest

from tests.services.service import Service

pytestmark = pytest.mark.contract("B1", "B2", "B3")

ELEMENTS = "/dimensions/v1/northwind/account/elements"
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


@pytest.mark.parametrize(("sent", "refusal"), REFUSED.values(), ids=REFUSED)
def test_a_request_that_cannot_be_read_is_refused_with_a_problem(service: Service, sent: str, refusal):
    status, code, words = refusal
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(sent.encode())
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    problem = json.loads(body)
    assert int(first.split()[1]) == problem["status"] == status
    assert headers["Content-Type"] == "application/problem+json"
    assert (headers["Connection"], int(headers["Content-Length"])) == ("close", len(body))
    assert problem["code"] == code
    assert words in problem["detail"]
    assert len(problem["detail"]) < 300
    assert [error["code"] for error in problem.get("errors", [])] == ([code] if status == 400 else [])
    request_id = headers["X-Request-ID"]
    assert problem["requestId"] == request_id
    assert any(json.loads(line).get("request_id") == request_id for line in service.log.read_text().splitlines())


def test_the_service_goes_on_after_what_it_could_not_read(service: Service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(b"\x16\x03\x01\x02\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")
    assert service.send("GET", ELEMENTS).status == 200


def test_a_request_in_the_version_without_hosts_needs_none(service: Service):
    """HTTP/1.0 has no Host header; probes of load balancers send such requests."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(b"GET /health/live HTTP/1.0\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.0 200 ")
