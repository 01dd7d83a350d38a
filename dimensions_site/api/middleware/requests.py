"""Middleware for every request."""

import re
import uuid
from collections.abc import Callable
from urllib.parse import unquote

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.middleware.addresses import is_api_request
from dimensions_site.db.read_limits import read_limit
from dimensions_site.text import suggestions

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_NO_CONTENT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_READING = frozenset({"GET", "HEAD"})
# The ends of the names of the routes that search in a list, whatever the method.
_SEARCHING = ("_changelist", "_export_file")
_VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def standard_headers(get_response: GetResponse) -> GetResponse:
    """Give each request an id, and forbid storing responses of the API that do not set Cache-Control themselves.

    The id is the client's X-Request-ID if it is valid, else a new UUID (contract B2). It is in the response and in the
    request's own header, from which the subsequent middleware of django-structlog adds it to every log line.

    A shared cache would show one client's data to another, and browsers would write it to disk. Clients may keep an
    element with its entity tag explicitly and still get 304 (contract C16).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        identifier = sent if _VALID_REQUEST_ID.fullmatch(sent) else str(uuid.uuid4())
        suggestions.allow_searches()
        request.META["HTTP_X_REQUEST_ID"] = identifier
        response = get_response(request)
        if is_api_request(request):
            response.headers.setdefault("Cache-Control", "no-store")
            # A browser that opens the response must not execute or load anything.
            response.headers.setdefault("Content-Security-Policy", _NO_CONTENT_POLICY)
        response["X-Request-ID"] = identifier
        return response

    return middleware


def bound_reads(get_response: GetResponse) -> GetResponse:
    """Limit the time of the reading queries of a request, and cancel them when the client disconnects.

    Of a request that writes, they are those in blocks of `limited_reads`.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        # The client's connection, if the server provides it (gunicorn does).
        client = request.META.get("gunicorn.socket")
        # API views set the repository instead, and pages of the administration the user.
        session = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        with read_limit(settings.READ_TIMEOUT_SECONDS, client, session, applies=_is_reading(request)):
            return get_response(request)

    return middleware


def _is_reading(request: HttpRequest) -> bool:
    """Return whether the request reads; actions of a list are POST requests, and search like the list."""
    if request.method in _READING:
        return True
    if is_api_request(request):
        return False
    try:
        return (resolve(request.path_info).url_name or "").endswith(_SEARCHING)
    except Resolver404:
        return False


def check_request_line(get_response: GetResponse) -> GetResponse:
    """Refuse an API request with a too long URL (414), and a page request with NUL in its URL (400).

    The views report other errors in API URLs, after authentication (contract A6).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not is_api_request(request):
            if "\0" in unquote(request.get_full_path()):
                raise SuspiciousOperation("The URL contains NUL, which PostgreSQL cannot store in text.")
            return get_response(request)
        # The request line as received, if the server provides it (gunicorn does).
        address = request.META.get("RAW_URI") or request.get_full_path()
        limit = settings.API_MAX_URL_SIZE
        if len(address) > limit:
            detail = f"The address is {len(address):,} bytes long; the limit is {limit:,}."
            return problem_response(request, Problem(414, "URI_TOO_LONG", detail))
        return get_response(request)

    return middleware
