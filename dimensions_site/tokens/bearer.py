"""Bearer authentication: the kinds of tokens, and their users (contract G1, RFC 6750; design/tokens.md)."""

import re

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.permissions import Credential
from dimensions_site.tokens.credentials import REALM, authenticate_opaque_token
from dimensions_site.tokens.jwt import tokens as json_web_tokens

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
        return authenticate_opaque_token(token, request)


class JwtAuthentication(BearerAuthentication):
    """Accepts JSON Web Tokens of `/auth/jwt/token`, and those of the identity provider, if configured."""

    mode = "jwt"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        return json_web_tokens.authenticate_jwt(token)


def _bearer(request: Request) -> str | None:
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
