"""Middleware for pages only: the content policy, sessions, users and messages; their language, time zone and rate.

Requests that are refused get pages with the navigation, for users who are signed in.

REST clients send no cookies that matter and get no scripts, and reading one element is so fast that each of these would
slow it down noticeably. REST and logs are in English and UTC (design/administration.md).
"""

from functools import partial
from http import HTTPStatus
from typing import Any, cast

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _

from dimensions_site.administration.base.values import zone_of
from dimensions_site.api import handlers
from dimensions_site.api.access.throttling import client_address, count_page
from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.middleware.addresses import CONSENT, is_api_request
from dimensions_site.api.middleware.requests import GetResponse
from dimensions_site.db.read_limits import own_reads
from dimensions_site.observability.observation import current_observation
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

    def process_view(self, request: HttpRequest, *_arguments: Any) -> HttpResponse | None:
        """Count the page, and what it reads, for the signed-in user; the login page has limits of its own.

        Those of the sign-in at the OpenID provider are counted by address.
        """
        match = request.resolver_match
        if match is None or not request.path_info.startswith(f"/{ADMINISTRATION}"):
            return None
        if match.url_name in _OF_NOBODY:
            return _refusal(count_page(client_address(request)))
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
    if observed := current_observation():
        observed.code = problem.code
    content = render_to_string("429.html", {"seconds": int(problem.headers["Retry-After"])})
    return HttpResponse(content, status=HTTPStatus.TOO_MANY_REQUESTS, headers=problem.headers)


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 400 for a request that is refused before a page sees it; 413 for a body beyond the limit."""
    page = None
    if isinstance(exception, RequestDataTooBig):
        text = _("Nothing was saved: one request cannot take that much. Go back in the browser, and send it in parts.")
        page = _page(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _("Too much at once"), text)
    return page or handlers.handler400(request, exception)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 403 for a request that is not permitted."""
    text = _("You are not permitted to see this page or to do what you tried. Your administrator can grant you access.")
    page = _page(request, HTTPStatus.FORBIDDEN, _("Not permitted"), text)
    return page or handlers.handler403(request, exception)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 for an unknown URL."""
    text = _("There is nothing at this address. It may be mistyped, or the page has been deleted.")
    page = _page(request, HTTPStatus.NOT_FOUND, _("Page not found"), text)
    return page or handlers.handler404(request, exception)


def explain_methods(get_response: GetResponse) -> GetResponse:
    """Fill the 405 of a page, which Django leaves empty, in the form that the client asks for (contract B3).

    A browser that has to sign in before what a button sends is taken opens the address of the button afterwards.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponseNotAllowed):
            text = _(
                "Nothing was saved. This is the address of a button; you may have signed in again after you pressed "
                "it. Open the page with the button, and press the button again."
            )
            detail = f"{request.method} is not permitted here; use one of: {response['Allow']}."
            problem = Problem(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", detail)
            page = _page(request, HTTPStatus.METHOD_NOT_ALLOWED, _("Open the page again"), text)
            filled = page or problem_response(request, problem)
            response.content, response["Content-Type"] = filled.content, filled["Content-Type"]
        return response

    return middleware


def _page(request: HttpRequest, status: HTTPStatus, title: str, text: str) -> HttpResponse | None:
    """Return the page within the administration; None elsewhere, and for users without access."""
    user = getattr(request, "user", None)
    if handlers.is_for_program(request) or not (
        request.path_info.startswith(f"/{ADMINISTRATION}") and user and user.is_active and user.is_staff
    ):
        return None
    context = {**admin.site.each_context(request), "title": title, "text": text, "status": status}
    return HttpResponse(render_to_string("admin/refused.html", context, request), status=status)
