"""The OAuth2 endpoints for programs: `/auth/oauth2/token`, `introspect` and `revoke` (contract G1; design/tokens.md).

`/.well-known/oauth-authorization-server` lists them. Errors have the form of RFC 6749, the only one that clients know;
HTTP errors, such as a wrong method, are problem documents.
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
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.request import UnreadablePostError
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import IntrospectTokenView, RevokeTokenView, TokenView
from oauthlib.oauth2 import (
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    OAuth2Error,
    TemporarilyUnavailableError,
)

from dimensions_site.api.access.throttling import call_limit_problem, count_refusal, refusal_limit_problem
from dimensions_site.api.errors import Problem, as_problem, problem_response, upper_snake
from dimensions_site.api.rendering import media_type
from dimensions_site.api.views import read_only
from dimensions_site.observability.observation import current_observation
from dimensions_site.text.formats import shortened
from dimensions_site.tokens.bearer import valid_access_token
from dimensions_site.tokens.configuration import SCOPES
from dimensions_site.tokens.models import Application
from dimensions_site.tokens.oauth2.server import APPLICATION, JSON_HEADERS, complete_answer, error_of

EndpointView: TypeAlias = Callable[..., HttpResponse]

FORM = "application/x-www-form-urlencoded"
_ALLOW = {"Allow": "POST, OPTIONS"}
# Confidential applications send their secret in a Basic header or in the body.
_WITH_SECRET = ["client_secret_basic", "client_secret_post"]
# Public ones have none: they name themselves in the body and use PKCE.
_WITH_OR_WITHOUT = [*_WITH_SECRET, "none"]


def form_only(view: EndpointView) -> EndpointView:
    """Restrict `view` to a POST with a form, handle OPTIONS, and reject unreadable and ambiguous requests."""

    @csrf_exempt  # clients are not browsers, and send their credentials explicitly
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "OPTIONS":
            return HttpResponse(headers=_ALLOW, content_type="text/plain")
        if request.method != "POST":
            detail = f"The method must be POST; got {shortened(str(request.method))}."
            return problem_response(request, Problem(405, "METHOD_NOT_ALLOWED", detail, headers=_ALLOW))
        try:
            error = _error_of(request)
        except (RequestDataTooBig, TooManyFieldsSent, UnreadablePostError) as unreadable:
            return problem_response(request, as_problem(unreadable))
        if refusal := refusal_limit_problem(request):  # before the hash of a secret is computed
            return _too_often(refusal)
        try:
            answer = complete_answer(_refusal(error) if error else view(request, *args, **kwargs))
        except Problem as problem:
            _name_application(request)
            return _too_often(problem)
        _log_refusal(request, answer)
        if answer.status_code == HTTPStatus.UNAUTHORIZED and (refusal := count_refusal(request)):
            return _too_often(refusal)
        return answer

    return checked


def _error_of(request: HttpRequest) -> OAuth2Error | None:
    if request.META.get("CONTENT_LENGTH") in ("", "0", None) and "HTTP_TRANSFER_ENCODING" not in request.META:
        needed = "grant_type" if request.path.endswith("/token") else "token"
        return InvalidRequestError(f"{needed} is missing; the body must be {FORM}.")
    if not _has_form(request):
        return InvalidRequestError(f"The body must be {FORM}.")
    error = error_of(request.POST)  # read first: logging also accesses the form once it has been read
    if request.META.get("QUERY_STRING"):
        return InvalidRequestError("Parameters must be in the body, not in the URL.")
    if not error and _authenticates_twice(request):
        return InvalidRequestError(
            "The application authenticates in the header Authorization and in the body; use one of them."
        )
    return error


def _authenticates_twice(request: HttpRequest) -> bool:
    """Return whether the body has a secret, or names another application, in addition to a Basic header."""
    scheme = request.headers.get("Authorization", "").partition(" ")[0]
    if scheme.lower() != "basic":
        return False
    return "client_secret" in request.POST or request.POST.get("client_id", "") not in ("", _client_id(request))


def _has_form(request: HttpRequest) -> bool:
    return media_type(request.headers.get("Content-Type", "")) == FORM


def _refusal(error: OAuth2Error) -> HttpResponse:
    return HttpResponse(error.json, status=error.status_code, headers=JSON_HEADERS)


def _too_often(problem: Problem) -> HttpResponse:
    """Return the 429 in the form of OAuth2, with `Retry-After`."""
    if observed := current_observation():
        observed.code = problem.code
    error = TemporarilyUnavailableError(description=str(problem.detail))
    return HttpResponse(error.json, status=problem.status_code, headers=JSON_HEADERS | problem.headers)


def _log_refusal(request: HttpRequest, answer: HttpResponse) -> None:
    observed = current_observation()
    if observed is None or answer.status_code < HTTPStatus.BAD_REQUEST:
        return
    observed.code = upper_snake(str(json.loads(answer.content)["error"]))
    _name_application(request)


def _name_application(request: HttpRequest) -> None:
    observed = current_observation()
    client_id = _client_id(request)
    # An unknown client id may be a secret.
    if observed and "\0" not in client_id and Application.objects.filter(client_id=client_id).exists():
        observed.name(application=client_id)


def _client_id(request: HttpRequest) -> str:
    """Return the client id of the request; "" without a readable one."""
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return request.POST.get("client_id", "") if _has_form(request) else ""
    try:
        return unquote_plus(base64.b64decode(credentials).decode().partition(":")[0])
    except ValueError:
        return ""


def _token_user(request: HttpRequest) -> int | None:
    """Return the primary key of the user for whom tokens are requested, if known before the secret is verified."""
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
        """Respond with tokens. Raises Problem 429 for a user with too many calls, before the hash of a secret is
        computed.

        The library's own view looks for the device grant first, which does not exist here.
        """
        if (user := _token_user(request)) and (problem := call_limit_problem(str(user))):
            raise problem
        try:
            answer: HttpResponse = self.authorization_flow_token_response(request)
        except AccessToken.DoesNotExist:
            # The library looks up the token that it has just issued. A concurrent use of the same refresh token, or an
            # operator, has ended it meanwhile.
            return _refusal(InvalidGrantError("The issued tokens have already been ended."))
        return answer


class Introspect(IntrospectTokenView):
    """Reports to authenticated applications whether a token is valid (RFC 7662)."""

    def unauthenticated_response(self, request: HttpRequest, oauthlib_request: Any = None) -> HttpResponse:
        """Return the 401 in place of the library's empty 403."""
        return _refusal(InvalidClientError())

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Describe the token by the same rules as for API calls.

        Applications can introspect their own tokens, and others if an operator permits it; otherwise a token looks like
        an unknown one (RFC 7662, 2.2).
        """
        token = request.POST.get("token")
        if not token:
            return _refusal(InvalidRequestError("The parameter token is missing."))
        client: Application = request.META[APPLICATION]
        # The library checks neither whether the user is active nor which application asks.
        found = valid_access_token(token)
        may_know = found is not None and (client.may_introspect or found.application_id == client.pk)
        answer: HttpResponse = self.get_token_response(token if may_know else "")
        return answer


token = form_only(Token.as_view())
introspect = form_only(Introspect.as_view())
revoke = form_only(RevokeTokenView.as_view())


@read_only
def metadata(request: HttpRequest, issuer_path: str = "") -> HttpResponse:
    """Return the endpoints and capabilities for clients (RFC 8414). Raises Http404 for the path of another issuer.

    Under URL_PREFIX, the standard appends that prefix to the well-known path, so both URLs exist.
    """
    if issuer_path and f"/{issuer_path}" != settings.URL_PREFIX:
        raise Http404

    def address(name: str) -> str:
        return request.build_absolute_uri(reverse(name))

    members = {
        # The same as `iss` in the responses of the authorization endpoint (RFC 9207).
        "issuer": oauth2_settings.oauth2_authorization_server_issuer(request),
        "authorization_endpoint": address("oauth2-authorize"),
        "token_endpoint": address("oauth2-token"),
        "revocation_endpoint": address("oauth2-revoke"),
        "introspection_endpoint": address("oauth2-introspect"),
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": _WITH_OR_WITHOUT,
        "revocation_endpoint_auth_methods_supported": _WITH_OR_WITHOUT,
        "introspection_endpoint_auth_methods_supported": _WITH_SECRET,
        "authorization_response_iss_parameter_supported": True,
    }
    return JsonResponse(members, headers={"Cache-Control": "no-cache"})
