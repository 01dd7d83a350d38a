"""Sessions of the administration: when they end, and what was typed in a form when one had (design/sign-in.md).

They end when they are idle, and some hours after the login in any case. The database rejects a session after its
`expire_date`, which is extended while pages are opened. It is written every few minutes only, so that a page does not
cost a write.

A form that was sent too late is filled in after the next login. Nothing is saved until the user presses Save. Forms
sent by another site are discarded (design/administration.md).
"""

from collections.abc import Callable
from copy import copy
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, cast

import orjson
from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.csrf import csrf_exempt

from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.handlers import is_for_program
from dimensions_site.api.middleware.requests import GetResponse

# Session keys for the login and the last extension, in seconds since 1970.
_BEGAN, _RENEWED = "session_began", "session_renewed"
_LONGEST_PAUSE = 5 * 60


@receiver(user_logged_in)
def begin(request: HttpRequest, **_: Any) -> None:
    """Set the end of a new session according to the settings."""
    request.session[_BEGAN] = _now()
    _renew(request.session)


def extend_sessions(get_response: GetResponse) -> GetResponse:
    """Extend the session while its user opens pages."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session: SessionBase | None = getattr(request, "session", None)
        # A page that did not read the session is the same for everybody; keep it cacheable.
        if session is not None and session.accessed and SESSION_KEY in session and _is_due(session):
            _renew(session)
        return response

    return middleware


def _is_due(session: SessionBase) -> bool:
    pause = min(_LONGEST_PAUSE, settings.SESSION_IDLE_MINUTES * 6)  # a tenth of the limit
    renewed: int = session.get(_RENEWED, 0)
    return _now() - renewed >= pause


def _renew(session: SessionBase) -> None:
    now = _now()
    session[_RENEWED] = now
    end = min(now + settings.SESSION_IDLE_MINUTES * 60, session[_BEGAN] + settings.SESSION_HOURS * 3600)
    # A moment, not a duration: saving other session data does not extend it.
    session.set_expiry(timezone.now() + timedelta(seconds=end - now))


def _now() -> int:
    return int(timezone.now().timestamp())


# Hidden fields: the user for whom the form was made, and on the login page the other form's data as JSON.
USER, PENDING = "_user", "pending"
_SESSION = "dimensions.pending"
_CSRF_FIELD = "csrfmiddlewaretoken"
# In characters of JSON. An element has at most 256 KiB.
_LONGEST = 1024 * 1024
_LONGEST_ADDRESS = 4096
# Before the login, in characters and seconds.
_LONGEST_OF_NOBODY, _KEPT_FOR_NOBODY = 64 * 1024, 600

PageView = Callable[..., HttpResponse]
Again = Callable[Concatenate[HttpRequest, QueryDict, ...], HttpResponse]


def keeping_what_was_typed(site: AdminSite, view: PageView, *, again: Again) -> PageView:
    """Return the `view` of a form on `site`, which keeps its data while the user signs in again.

    `again` takes the request, the data and the arguments of the view; it returns the filled-in form and must not save
    anything. Do not use it for forms with passwords.
    """
    # It saves nothing, so it does not need the CSRF token that was just rejected.
    shown_again = site.admin_view(csrf_exempt(again))
    shown = site.admin_view(view)

    @wraps(view)
    def keeping(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and not site.has_permission(request):
            return _sign_in_page(site, request)
        typed = _taken(request) if request.method == "GET" and site.has_permission(request) else None
        return shown(request, *args, **kwargs) if typed is None else shown_again(request, typed, *args, **kwargs)

    # For a form without a valid CSRF token, which does not reach the view.
    vars(keeping).update(shown_again=shown_again, site=site)
    return keeping


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Respond with 403 to a form without a valid CSRF token, filled in if its view keeps it.

    This happens after a new login in another tab, and to forms sent by other sites.
    """
    match = request.resolver_match
    view: Any = None if match is None else match.func
    if match is not None and request.method == "POST" and hasattr(view, "shown_again") and _is_of_this_site(request):
        if not view.site.has_permission(request):
            return _sign_in_page(view.site, request)
        if request.POST.get(USER) == _name(request):
            response: HttpResponse = view.shown_again(request, request.POST, *match.args, **match.kwargs)
            response.status_code = 403
            return response
    if is_for_program(request):
        return problem_response(request, Problem(403, "PERMISSION_DENIED", "The form has no valid token of its page."))
    return render(request, "403_csrf.html", status=403)


@receiver(user_logged_in, dispatch_uid=__name__)
def keep_for_the_session(sender: object, request: HttpRequest | None, **further: Any) -> None:
    """Move the data from the login page into the session, until its form is opened."""
    typed = request.POST.get(PENDING, "") if request is not None else ""
    if request is not None and 0 < len(typed) <= _LONGEST:
        request.session[_SESSION] = {"address": request.GET.get(REDIRECT_FIELD_NAME, ""), "typed": typed}


def keep_while_signing_in(request: HttpRequest) -> bool:
    """Keep the data from the login page while its user signs in at another service; return False if it is too long.

    Anybody can send it, so the session without a user is short.
    """
    if len(request.POST.get(PENDING, "")) > _LONGEST_OF_NOBODY:
        return False
    keep_for_the_session(None, request)
    if SESSION_KEY not in request.session:
        request.session.set_expiry(_KEPT_FOR_NOBODY)
    return True


def own_address(request: HttpRequest, wanted: str) -> str:
    """Return the address of a page of this service: `wanted` if it is one, else that of the start page."""
    is_own = (
        len(wanted) <= _LONGEST_ADDRESS
        and wanted.startswith("/")
        and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None, require_https=request.is_secure())
    )
    return wanted if is_own else reverse("admin:index")


def _sign_in_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Return the login page with the data of the form, which returns to the form afterwards."""
    pairs = [[name, value] for name, values in request.POST.lists() if name != _CSRF_FIELD for value in values]
    typed = orjson.dumps(pairs).decode()
    address = request.get_full_path()
    # No login has been attempted yet.
    first = copy(request)
    first.method = "GET"
    first.GET = QueryDict(urlencode({REDIRECT_FIELD_NAME: address}))
    cast(Any, first).POST = QueryDict()
    context = {
        "app_path": f"{reverse('admin:login')}?{first.GET.urlencode()}",
        PENDING: typed if len(typed) <= _LONGEST else "",
        "is_interrupted": True,
    }
    return site.login(first, context)


def _taken(request: HttpRequest) -> QueryDict | None:
    kept = request.session.get(_SESSION)
    if kept is None or kept["address"] != request.get_full_path():
        return None
    del request.session[_SESSION]
    try:
        typed = QueryDict(mutable=True)
        for name, value in orjson.loads(kept["typed"]):
            typed.appendlist(str(name), str(value))
    except (ValueError, TypeError):
        return None
    return typed if typed.get(USER) == _name(request) else None


def _is_of_this_site(request: HttpRequest) -> bool:
    """Return whether a page of this service sent the form, according to the browser."""
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def _name(request: HttpRequest) -> str:
    return cast(User, request.user).get_username()
