"""What programs ask of OAuth2: `/auth/oauth2/token`, `introspect` and `revoke` (contract G1).

Faults of a request are told as RFC 6749 says, for clients know no other form; only what concerns HTTP itself, such as
a wrong method, is told by a problem document.
"""

import base64
import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import unquote_plus

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.views import IntrospectTokenView, RevokeTokenView, TokenView
from oauthlib.oauth2 import InvalidClientError, InvalidRequestError, OAuth2Error

from dimensions_site.api.errors import Problem, as_problem, problem_response, upper_snake
from dimensions_site.api.negotiation import media_type
from dimensions_site.api.throttling import count_refusal, refused_too_often
from dimensions_site.telemetry.observation import current
from dimensions_site.tokens.models import Application
from dimensions_site.tokens.oauth2_server import JSON_HEADERS
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
        if problem := refused_too_often(request):  # before a hash of a secret is computed
            return problem_response(request, problem)
        answer = _refusal(fault) if fault else view(request, *args, **kwargs)
        _tell(request, answer)
        if answer.status_code == HTTPStatus.UNAUTHORIZED and (problem := count_refusal(request)):
            return problem_response(request, problem)
        return answer

    return checked


def _fault(request: HttpRequest) -> OAuth2Error | None:
    if media_type(request.headers.get("Content-Type", "")) != FORM:
        return InvalidRequestError(f"The body has to be {FORM}.")
    if request.META.get("QUERY_STRING"):
        return InvalidRequestError("Parameters stand in the body, never in the address.")
    return fault_of(request.POST)


def _refusal(error: OAuth2Error) -> HttpResponse:
    return HttpResponse(error.json, status=error.status_code, headers=JSON_HEADERS | error.headers)


def _tell(request: HttpRequest, answer: HttpResponse) -> None:
    """Let the log tell why a request is refused, and to which application."""
    observed = current()
    if observed is None or answer.status_code < HTTPStatus.BAD_REQUEST:
        return
    observed.code = upper_snake(str(json.loads(answer.content)["error"]))
    client_id = _client_id(request)
    # What is no id of an application may be its secret.
    if "\0" not in client_id and Application.objects.filter(client_id=client_id).exists():
        observed.name(application=client_id)


def _client_id(request: HttpRequest) -> str:
    """The id that the request names, "" when there is none that can be read."""
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return request.POST.get("client_id", "")
    try:
        return unquote_plus(base64.b64decode(credentials).decode().partition(":")[0])
    except ValueError:
        return ""


class Token(TokenView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer tokens. The library's own looks for the device grant first, which there is not."""
        answer: HttpResponse = self.authorization_flow_token_response(request)
        return answer


class Introspect(IntrospectTokenView):
    """Tells applications that show their secret whether calls with a token are taken (RFC 7662)."""

    def unauthenticated_response(self, request: HttpRequest, oauthlib_request: Any = None) -> HttpResponse:
        """The library's is a 403 without a word."""
        return _refusal(InvalidClientError())

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer what the token stands for; by the same rules as a call with it."""
        token = request.POST.get("token")
        if not token:
            return _refusal(InvalidRequestError("The parameter token is missing."))
        # The library does not look whether the user is active.
        answer: HttpResponse = self.get_token_response(token if valid_access_token(token) else "")
        return answer


token = form_only(Token.as_view())
introspect = form_only(Introspect.as_view())
revoke = form_only(RevokeTokenView.as_view())
