"""The OAuth2 authorization server: the supported grants, and what it checks (contract G1; design/tokens.md).

Also what the libraries leave open: unusable parameters (contract B3), and the answers to errors.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request
from oauthlib.oauth2 import (
    ClientCredentialsGrant,
    InvalidGrantError,
    InvalidRequestError,
    OAuth2Error,
    UnsupportedGrantTypeError,
    WebApplicationServer,
)
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from dimensions_site.api.access.throttling import count_call
from dimensions_site.text.formats import shortened
from dimensions_site.tokens.bearer import ROLES, permitted_role
from dimensions_site.tokens.configuration import SCOPES
from dimensions_site.tokens.ending import locked_user
from dimensions_site.tokens.models import FirstScope

# The request attribute with the authenticated application.
APPLICATION = "dimensions.application"
# RFC 8707 allows repeating this one; the consent page has the URIs in one text.
RESOURCE = "resource"
# The sizes of the database columns. RFC 7636 allows no longer challenge.
_LONGEST = {"code_challenge": 128, "code_challenge_method": 10, "nonce": 255}

# Responses may contain a token and must not be cached; the second header is for HTTP/1.0 caches.
JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache"}
# How applications authenticate here. OAuthlib names `Bearer`, the scheme of the tokens that they do not have yet.
_CHALLENGE = 'Basic realm="dimensions", charset="UTF-8"'
# Descriptions of errors that the libraries raise without one.
_DESCRIPTIONS: Mapping[str, str] = {
    "invalid_client": "The application did not authenticate, is unknown, or its secret is wrong.",
    "invalid_grant": "The authorization code or refresh token is unknown, expired, used or ended, or was issued to "
    "another application or for another redirect_uri.",
    "invalid_scope": f"The scopes are {', '.join(SCOPES)}; a scope is unknown or wider than what was granted.",
    "unauthorized_client": "The application may not use this grant.",
}
# How OAuthlib names a parameter that is missing.
_MISSING = re.compile(r"Missing (.+) parameter\.")
_OTHERWISE = "A parameter of the request is missing or malformed."
# The characters that RFC 6749 allows in a description.
_NOT_ALLOWED = re.compile(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")


class AuthorizationServer(WebApplicationServer):
    """Supports client credentials, and the authorization code with refresh tokens.

    oauthlib's server for all grants also has the password grant, which reveals whether a password is right even if no
    application may use it.
    """

    def __init__(self, validator: Any, **options: Any) -> None:
        super().__init__(validator, **options)
        self.grant_types["client_credentials"] = ClientCredentialsGrant(validator)

    def validate_token_request(self, request: Any) -> None:
        """Reject a missing or unknown grant type, which oauthlib would treat as an authorization code."""
        super().validate_token_request(request)
        if not request.grant_type:
            raise InvalidRequestError("The parameter grant_type is missing.", request=request)
        if request.grant_type not in self.grant_types:
            known, sent = ", ".join(sorted(self.grant_types)), shortened(request.grant_type)
            raise UnsupportedGrantTypeError(f"grant_type must be one of {known}; got '{sent}'.", request=request)


class Backend(OAuthLibCore):
    """Passes requests to the server, and completes its responses."""

    def authenticate_client(self, request: HttpRequest) -> bool:
        """Return whether the application has authenticated; the request keeps it as `APPLICATION`."""
        wrapped = Request(*self._extract_params(request))
        is_right = bool(self.server.request_validator.authenticate_client(wrapped))
        request.META[APPLICATION] = wrapped.client if is_right else None
        return is_right

    def create_token_response(self, request: HttpRequest) -> tuple[Any, dict[str, str], str, int]:
        """Return a JSON response that must not be cached; 400 for the second of two concurrent requests with the same
        code.
        """
        try:
            _, headers, body, status = super().create_token_response(request)
        except Grant.DoesNotExist:
            error = InvalidGrantError("The authorization code has been used.")
            headers, body, status = error.headers, error.json, error.status_code
        return None, JSON_HEADERS | headers, body, status


class Validator(OAuth2Validator):
    """Issues tokens for active users only, and renews each refresh token once."""

    def _extract_basic_auth(self, request: Any) -> str | None:
        """Return the credentials of a Basic header, with `?` for other characters than ASCII, which match nothing."""
        credentials = super()._extract_basic_auth(request)
        return credentials and str(credentials).encode("ascii", "replace").decode()

    def _load_application(self, client_id: str | None, request: Any) -> Any:
        """Return the application, or None for an unknown one; PostgreSQL would fail on NUL in a Basic header."""
        return None if "\0" in (client_id or "") else super()._load_application(client_id, request)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the code may be redeemed: its user must still be active.

        If it was redeemed before, somebody else has it, too: all tokens that were issued for it end (RFC 6749, 4.1.2).
        """
        if super().validate_code(client_id, code, client, request):
            return bool(request.user.is_active)
        RefreshToken.revoke_family(_family_of(client, code))
        return False

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the refresh token may be used: its user must still be active."""
        return bool(super().validate_refresh_token(refresh_token, client, request)) and request.user.is_active

    def get_original_scopes(self, refresh_token: str, request: Any, *args: Any, **kwargs: Any) -> str:
        """Return the originally granted scope; each renewal may request a part of it (RFC 6749, 6)."""
        kept = FirstScope.objects.filter(refresh_token=request.refresh_token_instance).first()
        request.first_scope = kept.scope if kept else super().get_original_scopes(refresh_token, request)
        return str(request.first_scope)

    def is_within_original_scope(
        self, request_scopes: list[str], refresh_token: str, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Return whether all scopes are known and none is higher than the granted ones: `write` includes `read`."""
        granted = permitted_role(request.first_scope.split())
        return granted is not None and all(ROLES.get(scope, granted + 1) <= granted for scope in request_scopes)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Issue the tokens, if the code or refresh token is still valid and the user may make another call.

        Of two concurrent requests with the same refresh token, one succeeds: the library would give the tokens of the
        first to the second, but only their hashes are stored. Raises InvalidGrantError, or Problem 429.
        """
        owner = request.client.user if request.grant_type == "client_credentials" else request.user
        # Ending the user's tokens waits for this lock, or has already ended the code or refresh token.
        user = locked_user(owner.pk)
        if user is None or not user.is_active or not _is_still_valid(request):
            raise InvalidGrantError("The code, the refresh token or the user is no longer valid.", request=request)
        if problem := count_call(str(user.pk)):
            raise problem
        super()._save_bearer_token(token, request, *args, **kwargs)

    def _create_refresh_token(
        self, request: Any, refresh_token_code: str, access_token: AccessToken, previous_refresh_token: Any
    ) -> RefreshToken:
        """Create the token with the scope of its predecessor, however narrow the access token is.

        The family of the first one follows from its code, so that `validate_code` finds it.
        """
        made = super()._create_refresh_token(request, refresh_token_code, access_token, previous_refresh_token)
        if request.grant_type == "authorization_code":
            made.token_family = _family_of(request.client, request.code)
            made.save(update_fields=["token_family"])
        if previous_refresh_token and set(access_token.scope.split()) != set(request.first_scope.split()):
            FirstScope.objects.create(refresh_token=made, scope=request.first_scope)
        return made

    def _create_access_token(
        self, expires: Any, request: Any, token: dict[str, Any], source_refresh_token: Any = None
    ) -> AccessToken:
        """Create the token; one that an application obtains for itself acts as the application's user."""
        if request.grant_type == "client_credentials":
            request.user = request.client.user
        return super()._create_access_token(expires, request, token, source_refresh_token)


def _family_of(client: Any, code: str) -> UUID:
    """Return the family of the refresh tokens that the application `client` gets for the `code`."""
    return UUID(bytes=hashlib.sha256(f"{client.pk} {code}".encode()).digest()[:16])


def _is_still_valid(request: Any) -> bool:
    """Return whether the code or refresh token of the request is still neither used nor ended."""
    renewed = getattr(request, "refresh_token_instance", None)
    if renewed is not None:
        return RefreshToken.objects.select_for_update().filter(pk=renewed.pk, revoked=None).first() is not None
    if request.grant_type == "authorization_code":
        grants = Grant.objects.select_for_update().filter(code=request.code, application=request.client)
        return grants.first() is not None
    return True


def error_of(parameters: QueryDict) -> OAuth2Error | None:
    """Return the first error that the libraries would not detect; None if there is none."""
    for name, values in parameters.lists():
        if len(values) > 1 and name != RESOURCE:
            return InvalidRequestError(f"The parameter {name[:50]} must appear only once.")
        if "\0" in name or any("\0" in value for value in values):
            return InvalidRequestError("A parameter contains a NUL character.")
        longest = _LONGEST.get(name)
        if longest is not None and any(len(value) > longest for value in values):
            return InvalidRequestError(f"The parameter {name} is longer than {longest} characters.")
    if not all(map(_is_uri, parameters.getlist("redirect_uri"))):
        return InvalidRequestError("The parameter redirect_uri is not a valid URI.")
    if not all(_is_uri(uri) for value in parameters.getlist(RESOURCE) for uri in value.split()):
        return CustomOAuth2Error("invalid_target", "The parameter resource is not a valid URI.")
    return None


def _is_uri(text: str) -> bool:
    """Return whether the text can be parsed as a URI; the libraries check its kind."""
    try:
        parts = urlsplit(text)
        return parts.port is None or parts.port >= 0
    except ValueError:
        return False


def complete_answer(answer: HttpResponse) -> HttpResponse:
    """Return `answer`; if it is an error, with the members and headers that clients need to report it."""
    for name, value in JSON_HEADERS.items():
        answer.headers.setdefault(name, value)
    if answer.status_code < HTTPStatus.BAD_REQUEST:
        return answer
    body: dict[str, Any] = json.loads(answer.content)
    sentence = body.get("error_description") or _DESCRIPTIONS.get(body["error"], _OTHERWISE)
    if missing := _MISSING.fullmatch(sentence):
        sentence = f"The parameter {missing[1].replace(' ', '_')} is missing."
    answer.content = json.dumps({**body, "error_description": _NOT_ALLOWED.sub("?", sentence)}).encode()
    if answer.status_code == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = _CHALLENGE
    return answer
