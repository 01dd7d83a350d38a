"""What programs ask of OAuth2: `/auth/oauth2/token`, `introspect` and `revoke` (contract G1).

Faults of a request are told as RFC 6749 says, for clients know no other form; only what concerns HTTP itself, such as
a wrong method, is told by a problem document.
"""

import base64
import hashlib
import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import unquote_plus

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.views import IntrospectTokenView, RevokeTokenView, TokenView
from oauthlib.oauth2 import (
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    OAuth2Error,
    TemporarilyUnavailableError,
)

from dimensions_site.api.errors import Problem, as_problem, problem_response, upper_snake
from dimensions_site.api.negotiation import media_type
from dimensions_site.api.throttling import called_too_often, count_refusal, refused_too_often
from dimensions_site.telemetry.observation import current
from dimensions_site.tokens.models import Application
from dimensions_site.tokens.oauth2_server import APPLICATION, JSON_HEADERS
from dimensions_site.tokens.opaque_tokens import valid_access_token
from dimensions_site.tokens.parameters import fault_of

View: TypeAlias = Callable[..., HttpResponse]

FORM = "application/x-www-form-urlencoded"
_ALLOW = {"Allow": "POST, OPTIONS"}


def form_only(view: View) -> View:
    """Let `view` answer a POST with a form, tell that to OPTIONS, and refuse what cannot be read in one way only."""

    @csrf_exempt  # a program is no browser, and brings its credentials itself
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "OPTIONS":
            return HttpResponse(headers=_ALLOW, content_type="text/plain")
        if request.method != "POST":
            detail = "Only POST is permitted here."
            return problem_response(request, Problem(405, "METHOD_NOT_ALLOWED", detail, headers=_ALLOW))
        try:
            fault = _fault(request)
        except (RequestDataTooBig, TooManyFieldsSent, UnreadablePostError) as error:
            return problem_response(request, as_problem(error))
        if refusal := refused_too_often(request):  # before a hash of a secret is computed
            return _too_often(refusal)
        try:
            answer = _refusal(fault) if fault else view(request, *args, **kwargs)
        except Problem as problem:
            _name_application(request)
            return _too_often(problem)
        _tell(request, answer)
        if answer.status_code == HTTPStatus.UNAUTHORIZED and (refusal := count_refusal(request)):
            return _too_often(refusal)
        return answer

    return checked


def _fault(request: HttpRequest) -> OAuth2Error | None:
    if not _has_form(request):
        return InvalidRequestError(f"The body has to be {FORM}.")
    fault = fault_of(request.POST)  # read before all else: the log, too, looks into a form that has arrived
    if request.META.get("QUERY_STRING"):
        return InvalidRequestError("Parameters stand in the body, never in the address.")
    return fault


def _has_form(request: HttpRequest) -> bool:
    return media_type(request.headers.get("Content-Type", "")) == FORM


def _refusal(error: OAuth2Error) -> HttpResponse:
    return HttpResponse(error.json, status=error.status_code, headers=JSON_HEADERS | error.headers)


def _too_often(problem: Problem) -> HttpResponse:
    """The 429 in words of OAuth2, which clients take for what it is; `Retry-After` says when to come again."""
    if observed := current():
        observed.code = problem.code
    error = TemporarilyUnavailableError(description=str(problem.detail))
    return HttpResponse(error.json, status=problem.status_code, headers=JSON_HEADERS | problem.headers)


def _tell(request: HttpRequest, answer: HttpResponse) -> None:
    """Let the log tell why a request is refused, and to which application."""
    observed = current()
    if observed is None or answer.status_code < HTTPStatus.BAD_REQUEST:
        return
    observed.code = upper_snake(str(json.loads(answer.content)["error"]))
    _name_application(request)


def _name_application(request: HttpRequest) -> None:
    """Let the log tell which application the request names."""
    observed = current()
    client_id = _client_id(request)
    # What is no id of an application may be its secret.
    if observed and "\0" not in client_id and Application.objects.filter(client_id=client_id).exists():
        observed.name(application=client_id)


def _client_id(request: HttpRequest) -> str:
    """The id that the request names, "" when there is none that can be read."""
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return request.POST.get("client_id", "") if _has_form(request) else ""
    try:
        return unquote_plus(base64.b64decode(credentials).decode().partition(":")[0])
    except ValueError:
        return ""


def _user_in_question(request: HttpRequest) -> int | None:
    """The key of the user for whom tokens are asked, as far as it can be told before the secret is looked at."""
    if settings.THROTTLE_CALLS is None:
        return None
    form = request.POST
    found: QuerySet[Any]
    match form.get("grant_type"):
        case "client_credentials":
            client_id = _client_id(request)
            found = Application.objects.filter(client_id="" if "\0" in client_id else client_id)
        case "authorization_code":
            found = Grant.objects.filter(code=form.get("code", ""))
        case "refresh_token":
            checksum = hashlib.sha256(form.get("refresh_token", "").encode()).hexdigest()
            found = RefreshToken.objects.filter(token_checksum=checksum, revoked=None)
        case _:
            return None
    return found.values_list("user_id", flat=True).first()


class Token(TokenView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer tokens; raises Problem 429 for a user who calls too often, before a hash of a secret is computed.

        The library's own looks for the device grant first, which there is not.
        """
        if (user := _user_in_question(request)) and (problem := called_too_often(str(user))):
            raise problem
        try:
            answer: HttpResponse = self.authorization_flow_token_response(request)
        except AccessToken.DoesNotExist:
            # The library looks for the token that it has just issued. Whoever has used the same refresh token again
            # meanwhile, or an operator, has ended it.
            return _refusal(InvalidGrantError("The tokens that were issued have been ended already."))
        return answer


class Introspect(IntrospectTokenView):
    """Tells applications that show their secret whether calls with a token are taken (RFC 7662)."""

    def unauthenticated_response(self, request: HttpRequest, oauthlib_request: Any = None) -> HttpResponse:
        """The library's is a 403 without a word."""
        return _refusal(InvalidClientError())

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer what the token stands for, by the same rules as a call with it.

        An application learns that of its own tokens, and of others if an operator lets it: without that it is told the
        same as of a token that there is not (RFC 7662, 2.2).
        """
        token = request.POST.get("token")
        if not token:
            return _refusal(InvalidRequestError("The parameter token is missing."))
        caller: Application = request.META[APPLICATION]
        # The library looks neither whether the user is active nor who asks.
        found = valid_access_token(token)
        may_know = found is not None and (caller.may_introspect or found.application_id == caller.pk)
        answer: HttpResponse = self.get_token_response(token if may_know else "")
        return answer


token = form_only(Token.as_view())
introspect = form_only(Introspect.as_view())
revoke = form_only(RevokeTokenView.as_view())
