"""Middleware for pages only: the content policy, sessions, users and messages; their language, time zone and rate.

REST clients send no cookies that matter and get no scripts, and reading one element is so fast that each of these would
slow it down noticeably. REST and logs are in English and UTC (design/administration.md).
"""

from functools import partial
from http import HTTPStatus
from typing import Any, cast

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language_from_request, override

from dimensions_site.administration.base.values import zone_of
from dimensions_site.api.access.throttling import address_of, count_page
from dimensions_site.api.errors import Problem
from dimensions_site.api.middleware.addresses import CONSENT, is_api_request
from dimensions_site.api.middleware.requests import GetResponse
from dimensions_site.db.read_limits import own_reads
from dimensions_site.observability.observation import current
from dimensions_site.tokens.openid.sessions import user_of

# The pages of the administration are below it (`urls.py`).
ADMINISTRATION = "admin/"
# Pages request these themselves, to poll the progress of a job and to load texts; they cost little.
_ASKED_BY_PAGES = ("_progress", "jsi18n")
# Pages that store something for a browser without a user.
_OF_NOBODY = ("openid-start", "openid-callback")


class _OfPages(MiddlewareMixin):
    """Precedes a middleware class, and skips it for API requests."""

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request) if is_api_request(request) else super().__call__(request)


class Content(_OfPages, CSPMiddleware):
    """The content security policy of a page."""


class Session(_OfPages, SessionMiddleware):
    """The user's session."""


class Users(_OfPages, AuthenticationMiddleware):
    """`request.user`; REST views authenticate clients themselves."""

    def process_request(self, request: HttpRequest) -> None:
        """Read the user when a page asks for them, and whether the OpenID provider still knows them (contract N4)."""
        super().process_request(request)
        cast(Any, request).user = SimpleLazyObject(partial(user_of, request))


class Messages(_OfPages, MessageMiddleware):
    """The messages on the next page."""


def language_of_the_administration(get_response: GetResponse) -> GetResponse:
    """Answer pages of the administration, and OAuth2 consent, in the user's chosen language, else that of the browser.

    Instants are in the time zone of the browser.

    Replaces Django's middleware, which would translate every response and leave the language active in the thread.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith((f"/{ADMINISTRATION}", CONSENT)):
            return get_response(request)
        language = get_language_from_request(request)
        with override(language), timezone.override(zone_of(request)):
            response = get_response(request)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        response.headers["Content-Language"] = language
        return response

    return middleware


class AdministrationRate(MiddlewareMixin):
    """Responds with 429 beyond THROTTLE_ADMIN: a search, an export or an upload may cost as much as any API call."""

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Count the page, and what it reads, for the signed-in user; the login page has limits of its own.

        Those of the sign-in at the OpenID provider are counted by address.
        """
        match = request.resolver_match
        if match is None or not request.path_info.startswith(f"/{ADMINISTRATION}"):
            return None
        if match.url_name in _OF_NOBODY:
            return _refusal(count_page(address_of(request)))
        if request.user.pk is None:
            return None
        # Not for the session: a user may have any number of them.
        own_reads(f"user {request.user.pk}")
        if settings.THROTTLE_ADMIN is None or (match.url_name or "").endswith(_ASKED_BY_PAGES):
            return None
        return _refusal(count_page(str(request.user.pk)))


def _refusal(problem: Problem | None) -> HttpResponse | None:
    if problem is None:
        return None
    if observed := current():
        observed.code = problem.code
    content = render_to_string("429.html", {"seconds": int(problem.headers["Retry-After"])})
    return HttpResponse(content, status=HTTPStatus.TOO_MANY_REQUESTS, headers=problem.headers)
