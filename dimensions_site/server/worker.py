"""The process of the web server: gunicorn's threads, with the service's errors and a stop that drops no request.

Why gunicorn has one subclass and no more: design/web-server.md.
"""

import ctypes
import json
import select
import uuid
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

import structlog
from gunicorn import util
from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker

from dimensions_site.api.failures import MEDIA_TYPE, problem_body, title
from dimensions_site.environment import SocketAddress
from dimensions_site.text.formats import shortened

_UNREADABLE = "The request cannot be read: {error}."
_NOT_ENCODED = f"{_UNREADABLE} A URL has only ASCII characters and no spaces; write %20 for a space, and %C3%A9 for é."
_MAX_HEADERS = "A header is longer than {size:,} bytes, or the request has more than {count:,} headers."
_FAILED = "The service failed to answer; its log says why."
# For each kind of error: the status, the code and the message, with gunicorn's own one as {error}.
_ERRORS: tuple[tuple[tuple[type[Exception], ...], int, str, str], ...] = (
    (
        (errors.ConfigurationProblem, errors.InvalidResponseHeader, errors.InvalidResponseHeaderName),
        500,
        "INTERNAL_ERROR",
        _FAILED,
    ),
    ((errors.LimitRequestLine,), 414, "URI_TOO_LONG", _UNREADABLE),
    ((errors.LimitRequestHeaders,), 431, "HEADERS_TOO_LARGE", _MAX_HEADERS),
    ((errors.ExpectationFailed,), 417, "EXPECTATION_FAILED", "{error}. Only 100-continue is supported."),
    ((errors.UnsupportedTransferCoding,), 501, "UNSUPPORTED_TRANSFER_CODING", "{error}. Only chunked is supported."),
    ((errors.InvalidRequestLine, errors.InvalidHTTPVersion), 400, "UNREADABLE_REQUEST", _NOT_ENCODED),
    ((errors.ParseException,), 400, "UNREADABLE_REQUEST", _UNREADABLE),
    ((Exception,), 500, "INTERNAL_ERROR", _FAILED),
)
# Of <malloc.h>.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


class HostMissing(errors.ParseException):
    """An HTTP/1.1 request without a Host header, which RFC 9112 requires."""

    def __str__(self) -> str:
        return "A request in HTTP/1.1 needs a Host header"


class WebWorker(ThreadWorker):
    """Answers unreadable requests with problem documents (contract B1), and refuses connections while it stops."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Answer a request that cannot be read; gunicorn closes the connection afterwards.

        Nothing of the request is logged: a malformed header may be a credential.
        """
        status, code, message = next(error[1:] for error in _ERRORS if isinstance(exc, error[0]))
        # The client's own request id is unknown: its headers could not be read.
        request_id = str(uuid.uuid4())
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            if status == HTTPStatus.INTERNAL_SERVER_ERROR:
                self.log.exception("Error handling request")
                detail = message
            else:
                self.log.warning("Invalid request from ip=%s: %s", addr[0] if addr else "", type(exc).__name__)
                detail = message.format(
                    error=shortened(str(exc)).rstrip("."),
                    size=self.cfg.limit_request_field_size,
                    count=self.cfg.limit_request_fields,
                )
        body = json.dumps(problem_body(status, code, detail, request_id)).encode()
        head = (
            f"HTTP/1.1 {status} {title(status)}\r\nConnection: close\r\nContent-Type: {MEDIA_TYPE}\r\n"
            f"Content-Length: {len(body)}\r\nX-Request-ID: {request_id}\r\nCache-Control: no-store\r\n"
            "X-Content-Type-Options: nosniff\r\n\r\n"
        )
        with suppress(OSError):  # the client has disconnected
            util.write_nonblock(client, head.encode() + body)

    def set_accept_enabled(self, enabled: bool) -> None:
        """Start or stop accepting connections; when the worker stops, close the sockets at once.

        gunicorn itself keeps them open until its last response is sent, and drops the connections that have arrived
        meanwhile. Closed sockets refuse them, so that the proxy tries another server.
        """
        super().set_accept_enabled(enabled)
        if enabled or self.alive:
            return
        for listener in self.sockets:
            while select.select([listener], [], [], 0)[0]:
                self.accept(listener)  # connections that the system has accepted already
            listener.close()
        self.sockets: list[Any] = []


def keep_apart(headers: list[tuple[str, str]], name: str) -> None:
    """Join repeated headers of this name with a line break, which no header has.

    gunicorn would join them with a comma, as if they were one header with a comma in its text.
    """
    values = [value for found, value in headers if found == name]
    if len(values) > 1:
        headers[:] = [header for header in headers if header[0] != name]
        headers.append((name, "\n".join(values)))


def exposure_warnings(addresses: Iterable[Any], metrics: SocketAddress | None) -> list[str]:
    """Return a sentence for each of the sockets' `addresses` that other machines may reach without the proxy."""
    warnings = []
    for address in addresses:
        if isinstance(address, tuple) and not ip_address(address[0]).is_loopback:
            is_for_metrics = metrics is not None and address[1] == metrics.port
            setting, whom = ("METRICS_BIND", "Prometheus") if is_for_metrics else ("BIND", "the reverse proxy")
            warnings.append(
                f"{setting} is {SocketAddress(*address[:2])}, which other machines may reach: a few slow clients that "
                f"connect directly can block the service. Let a firewall admit {whom} alone, or bind to 127.0.0.1 or "
                "a unix socket (docs/operators/running.md, Without a proxy)."
            )
    return warnings


def return_blocks_of(size: int) -> None:
    """Have every freed block of at least `size` bytes go back to the system, in this process and its children
    (design/web-server.md).

    By default glibc raises this size with each large block that is freed. Then a body that grows is copied, and what
    it took stays with the process. Other C libraries have no such setting.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, size)
        # As glibc does when it sets the size itself; without it, it returns memory far too often.
        mallopt(_M_TRIM_THRESHOLD, 2 * size)
