"""Bearer tokens: which kind one is, and whom it stands for (contract G1, RFC 6750)."""

import re

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.credentials import Credential
from dimensions_site.tokens import json_web_tokens, opaque_tokens
from dimensions_site.tokens.credentials import REALM

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*", re.ASCII)


class BearerAuthentication(BaseAuthentication):
    """Takes `Authorization: Bearer <token>`, and leaves the tokens of the other bearer mode to its class."""

    mode: str

    def authenticate(self, request: Request) -> tuple[User, Credential] | None:
        """Return the user of the token and what the token allows, or None when the request carries none of this mode.

        Raises `AuthenticationFailed` (401) for a token that is not taken, and Problem 503 when the keys of the identity
        provider cannot be had.
        """
        token = _bearer(request)
        if token is None:
            return None
        if not _TOKEN.fullmatch(token):
            raise AuthenticationFailed("The header Authorization has no bearer token behind the word Bearer.")
        # The parts of a JSON Web Token are set apart by dots, and the tokens of OAuth2 have none.
        mode = "jwt" if "." in token else "oauth2"
        if mode == self.mode:
            return self.authenticated(token, request)
        if mode in settings.API_AUTHENTICATION:
            return None
        raise AuthenticationFailed("This is not a token of this service.")

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        """The user and what the token allows, as each mode finds out for itself. Raises `AuthenticationFailed`."""
        raise NotImplementedError

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge for a 401, which says when it was a token that was refused (contract B2)."""
        return REALM if _bearer(request) is None else f'{REALM}, error="invalid_token"'


class OAuth2Authentication(BearerAuthentication):
    """Takes access tokens that `/auth/oauth2/token` has issued."""

    mode = "oauth2"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        return opaque_tokens.authenticated(token, request)


class JwtAuthentication(BearerAuthentication):
    """Takes JSON Web Tokens of `/auth/jwt/token`, and those of the identity provider when there is one."""

    mode = "jwt"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        return json_web_tokens.authenticated(token)


def _bearer(request: Request) -> str | None:
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
