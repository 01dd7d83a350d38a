"""What holds for every request before any view sees it."""

import re
import uuid
from collections.abc import Callable
from typing import cast
from urllib.parse import unquote

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.prefixes import is_api_request

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class IdentifiedRequest(HttpRequest):
    """A request after the middleware `request_id`."""

    request_id: str


def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request an id: the caller's X-Request-ID when it is sane, else a new UUID (contract B2).

    It stands in `request.request_id`, in the response, and in the request's own header, from which the
    middleware of django-structlog that follows takes it for every log line.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        identifier = sent if _SANE_REQUEST_ID.fullmatch(sent) else str(uuid.uuid4())
        cast(IdentifiedRequest, request).request_id = request.META["HTTP_X_REQUEST_ID"] = identifier
        response = get_response(request)
        response["X-Request-ID"] = identifier
        return response

    return middleware


def unstored(get_response: GetResponse) -> GetResponse:
    """Let nobody keep an answer of the API that does not say itself for how long it may be kept.

    Caches between the service and its callers would show what one of them may read to another, and browsers leave it
    on the disk. A caller who keeps an element himself, with its entity tag, is answered 304 as before (contract C16).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if is_api_request(request):
            response.headers.setdefault("Cache-Control", "no-store")
            # What a browser may do with an answer that it was led to: nothing.
            response.headers.setdefault("Content-Security-Policy", _NOTHING)
        return response

    return middleware


def readable_request_line(get_response: GetResponse) -> GetResponse:
    """Refuse an address of the API that is too long (414), and one of a page with a NUL in it (400).

    What else may be wrong with an address of the API is said by the views, after they know the caller (contract A6).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not is_api_request(request):
            if "\0" in unquote(request.get_full_path()):
                raise SuspiciousOperation("NUL in an address: PostgreSQL would fail on it when a page looks for it.")
            return get_response(request)
        # The server's own copy of the request line, where it keeps one (gunicorn does).
        address = request.META.get("RAW_URI") or request.get_full_path()
        limit = settings.API_MAX_URL_SIZE
        if len(address) > limit:
            detail = f"The address is {len(address):,} bytes long; at most {limit:,} are accepted."
            return problem_response(request, Problem(414, "URI_TOO_LONG", detail))
        return get_response(request)

    return middleware
