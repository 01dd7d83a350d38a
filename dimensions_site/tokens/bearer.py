"""Bearer authentication: the kinds of tokens, and their users (contract G1, RFC 6750; design/tokens.md).

OAuth2 access tokens are random texts, stored as a hash.
"""

import hashlib
import re
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from oauth2_provider.models import AccessToken
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.permissions import Credential
from dimensions_site.tokens.jwt import tokens as json_web_tokens
from dimensions_site.tokens.scopes import REALM, TokenCredential, role_of

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*", re.ASCII)


class BearerAuthentication(BaseAuthentication):
    """Accepts `Authorization: Bearer <token>`, except for the tokens of the other bearer mode."""

    mode: str

    def authenticate(self, request: Request) -> tuple[User, Credential] | None:
        """Return the token's user and credential, or None if the request has no token of this mode.

        Raises `AuthenticationFailed` (401) for an invalid token, and Problem 503 if the identity provider's keys are
        unavailable.
        """
        token = _bearer(request)
        if token is None:
            return None
        if not _TOKEN.fullmatch(token):
            raise AuthenticationFailed("The header Authorization must be Bearer, a space and one token.")
        # The parts of a JSON Web Token are separated by dots; OAuth2 tokens contain none.
        mode = "jwt" if "." in token else "oauth2"
        if mode == self.mode:
            return self.authenticated(token, request)
        if mode in settings.API_AUTHENTICATION:
            return None
        raise AuthenticationFailed("This is not a token of this service.")

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        """Return the token's user and credential; each mode implements it. Raises `AuthenticationFailed`."""
        raise NotImplementedError

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge for a 401; it says so if a token was rejected (contract B2)."""
        return REALM if _bearer(request) is None else f'{REALM}, error="invalid_token"'


class OAuth2Authentication(BearerAuthentication):
    """Accepts access tokens issued by `/auth/oauth2/token`."""

    mode = "oauth2"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        """Return the access token's user and credential; one query, and the body is not read.

        Raises `AuthenticationFailed` if the token is unknown, revoked, expired or for another resource (RFC 8707), or
        if its user is inactive.
        """
        found = valid_access_token(token)
        if found is None or not found.allows_audience(request.build_absolute_uri(request.path)):
            raise AuthenticationFailed(
                "The access token is unknown, expired or revoked, is for another resource, or its user is not active."
            )
        role = role_of(found.scope.split())
        application = found.application
        # A person has consented to a code; otherwise the program acts by itself.
        is_person = application.authorization_grant_type == application.GRANT_AUTHORIZATION_CODE
        return found.user, TokenCredential("token of the application", str(application), role, is_person=is_person)


class JwtAuthentication(BearerAuthentication):
    """Accepts JSON Web Tokens of `/auth/jwt/token`, and those of the identity provider, if configured."""

    mode = "jwt"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        return json_web_tokens.authenticate_jwt(token)


def _bearer(request: Request) -> str | None:
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def valid_access_token(token: str) -> Any:
    """Return the access token with its user and application; None if it is not valid for calls."""
    checksum = hashlib.sha256(token.encode()).hexdigest()
    found = AccessToken.objects.select_related("user", "application").filter(token_checksum=checksum).first()
    if found is None or found.is_expired() or found.user is None or not found.user.is_active:
        return None
    return found
