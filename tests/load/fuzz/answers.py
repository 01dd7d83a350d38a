"""What holds for every response to any request: it is HTTP, not a failure, and explains itself (contracts B1 to B3)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

_STATUS_LINE = re.compile(rb"HTTP/1\.\d (\d{3}) [\x20-\x7e]*\Z")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e\t]*)\Z")
_WITHOUT_BODY = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
_FAILURES = {HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}
_API = (b"/api/", b"/dimensions/", b"/openapi/", b"/auth/")
# Errors here have the form of RFC 6749, in JSON of its own.
_OAUTH2 = b"/auth/oauth2/"
# And this is a page, for people.
_CONSENT = b"/auth/oauth2/authorize"


class Malformed(AssertionError):
    """The response is not HTTP."""


@dataclass(frozen=True)
class Reply:
    """One answer; the names of `headers` are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def answers(received: bytes, *, to_head: bool) -> Iterator[Reply]:
    """The answers in what was received, one after the other. Raises Malformed."""
    while received:
        head, blank, received = received.partition(b"\r\n\r\n")
        if not blank:
            raise Malformed(f"no end of the headers in {head[:300]!r}")
        first, *lines = head.split(b"\r\n")
        status = int(_matched(_STATUS_LINE, first)[1])
        if status < HTTPStatus.OK:
            continue  # 100: the body may come
        headers = _headers(lines)
        body = b""
        # What the web server itself refuses to read has a body even when the method may be HEAD.
        if received.startswith(b"{") or not (to_head or status in _WITHOUT_BODY):
            body, received = _body(headers, received)
        yield Reply(status, headers, body)


def _headers(lines: list[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        found = _matched(_HEADER, line)
        name = found[1].decode().lower()
        if name in headers and name != "set-cookie":
            raise Malformed(f"the header {name} stands twice")
        headers[name] = found[2].decode()
    return headers


def _matched(pattern: re.Pattern[bytes], line: bytes) -> re.Match[bytes]:
    found = pattern.match(line)
    if found is None:
        raise Malformed(f"{line[:300]!r} stands in the headers")
    return found


def _body(headers: dict[str, str], received: bytes) -> tuple[bytes, bytes]:
    """The body, and what follows it."""
    if headers.get("transfer-encoding") == "chunked":
        return _chunks(received)
    if "content-length" not in headers:
        return received, b""  # it ends with the connection
    length = int(headers["content-length"])
    if len(received) < length:
        raise Malformed(f"{len(received)} bytes of {length}")
    return received[:length], received[length:]


def _chunks(received: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        line, end, received = received.partition(b"\r\n")
        if not end:
            raise Malformed(f"the chunks end after {body[-100:]!r}")
        size = int(line, 16)
        body, rest = body + received[:size], received[size:]
        if len(received) < size or not rest.startswith(b"\r\n"):
            raise Malformed(f"a chunk of {size} bytes is cut")
        received = rest[2:]
        if not size:
            return body, received


def complaint(reply: Reply, target: bytes, *, to_head: bool) -> str | None:
    """What is wrong with the answer to a request for that target, or None."""
    if reply.status in _FAILURES:
        return f"status {reply.status}"
    request_id = reply.headers.get("x-request-id")
    if request_id is None:
        return f"status {reply.status} without X-Request-ID"
    is_page = target.startswith(_CONSENT) or not target.startswith(_API)
    if to_head or is_page or reply.status in _WITHOUT_BODY:
        return None
    if reply.status == HTTPStatus.SERVICE_UNAVAILABLE and "retry-after" not in reply.headers:
        return "503 without Retry-After"
    kind = reply.headers.get("content-type", "")
    if reply.status >= HTTPStatus.BAD_REQUEST and not (target.startswith(_OAUTH2) and kind == "application/json"):
        return _complaint_about_problem(reply, kind, request_id)
    return _complaint_about_json(reply) if kind == "application/json" else None


def _complaint_about_problem(reply: Reply, kind: str, request_id: str) -> str | None:
    if kind != "application/problem+json":
        return f"{reply.status} as {kind}"
    complaint = _complaint_about_json(reply)
    if complaint:
        return complaint
    problem = reply.json()
    missing = {"type", "title", "status", "detail", "code", "requestId"} - problem.keys()
    # The first answer to an Idempotency-Key comes again byte for byte, with the id of its own request.
    is_another = problem.get("requestId") != request_id and "idempotent-replayed" not in reply.headers
    if missing or problem["status"] != reply.status or is_another:
        return f"a problem without {missing}, or with another status or id: {reply.body[:300]!r}"
    return None


def _complaint_about_json(reply: Reply) -> str | None:
    try:
        reply.json()
    except ValueError as error:
        return f"no JSON: {error}"
    return None
