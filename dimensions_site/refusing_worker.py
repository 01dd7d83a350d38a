"""The process of the web server where it refuses what is no HTTP: as the application refuses everything else."""

import json
import uuid
from contextlib import suppress
from typing import Any

import structlog
from gunicorn import util
from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker

from dimensions_site.api.problems import MEDIA_TYPE, problem_body, shortened, title

# Faults of the service, not of a request.
_OURS = (errors.ConfigurationProblem, errors.InvalidResponseHeader, errors.InvalidResponseHeaderName)
_PERCENT_ENCODED = "An address has no blanks, and ASCII characters only; write %20 for a blank, and %C3%A9 for é."
_MAX_HEADERS = "A header may have {size:,} bytes, and a request {count:,} headers."
# Of each kind of fault the status, the code, and what is said beside what was found.
_REFUSALS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], int, str, str], ...] = (
    (errors.LimitRequestLine, 414, "URI_TOO_LONG", ""),
    (errors.LimitRequestHeaders, 431, "HEADERS_TOO_LARGE", _MAX_HEADERS),
    (errors.ExpectationFailed, 417, "EXPECTATION_FAILED", "The one known here is 100-continue."),
    (errors.UnsupportedTransferCoding, 501, "UNSUPPORTED_TRANSFER_CODING", "The one known here is chunked."),
    ((errors.InvalidRequestLine, errors.InvalidHTTPVersion), 400, "UNREADABLE_REQUEST", _PERCENT_ENCODED),
    (errors.ParseException, 400, "UNREADABLE_REQUEST", ""),
)


class RefusingWorker(ThreadWorker):
    """Answers a request that cannot be read with a problem document (contract B1); gunicorn itself with a page."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Refuse a request that cannot be read; the connection is closed afterwards."""
        found = next((refusal for refusal in _REFUSALS if isinstance(exc, refusal[0])), None)
        if found is None or isinstance(exc, _OURS):
            super().handle_error(req, client, addr, exc)
            return
        _, status, code, hint = found
        # Which id the caller sent is not known: its headers could not be read.
        request_id = str(uuid.uuid4())
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            # In gunicorn's words, but without what stands in the request: it may be a secret.
            self.log.warning("Invalid request from ip=%s: %s", addr[0] if addr else "", type(exc).__name__)
        hint = hint.format(size=self.cfg.limit_request_field_size, count=self.cfg.limit_request_fields)
        detail = f"The request cannot be read: {shortened(str(exc)).rstrip('.')}. {hint}".rstrip()
        body = json.dumps(problem_body(status, code, detail, request_id)).encode()
        head = (
            f"HTTP/1.1 {status} {title(status)}\r\nConnection: close\r\nContent-Type: {MEDIA_TYPE}\r\n"
            f"Content-Length: {len(body)}\r\nX-Request-ID: {request_id}\r\nCache-Control: no-store\r\n"
            "X-Content-Type-Options: nosniff\r\n\r\n"
        )
        with suppress(OSError):  # the client has gone
            util.write_nonblock(client, head.encode() + body)
