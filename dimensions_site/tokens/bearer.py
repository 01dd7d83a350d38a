"""Bearer authentication: scopes, the kinds of tokens and their users, and all modes in the OpenAPI documents.

OAuth2 access tokens are random texts, stored as a hash (contract G1, G2, RFC 6750; design/tokens.md).
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from oauth2_provider.models import AccessToken
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.authentication import db_id_and_dimension
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import Access, Credential
from dimensions_site.tokens.configuration import SCOPES

# The highest role that each of the `SCOPES` permits.
ROLES = {"read": Role.READER, "propose": Role.PROPOSER, "write": Role.EDITOR, "manage": Role.MANAGER}
_REALM = 'Bearer realm="dimensions"'
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*", re.ASCII)


@dataclass(frozen=True)
class TokenCredential(Credential):
    """A bearer token with scopes; `is_for` says for which dimension of which repository (RFC 8707)."""

    is_for: Callable[[str, str], bool] = lambda db_id, dimension: True

    def access(self, user: User, db_id: str, dimension: str) -> Access | None:
        found = super().access(user, db_id, dimension)
        return found and replace(found, is_within=self.is_for(db_id, dimension))

    def challenge(self, role: Role) -> dict[str, str]:
        """Return the header of a 403 with the scope that `role` requires (RFC 6750, 3.1)."""
        return {"WWW-Authenticate": f'{_REALM}, error="insufficient_scope", scope="{scope_of(role)}"'}


def scope_of(role: Role) -> str:
    """Return the smallest scope that permits what `role` may do."""
    return next(scope for scope, allowed in ROLES.items() if allowed == role)


def permitted_role(scopes: Collection[str]) -> Role | None:
    """Return the role that the highest of the `scopes` permits; None if all of them are unknown."""
    return max((role for scope, role in ROLES.items() if scope in scopes), default=None)


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
        return _REALM if _bearer(request) is None else f'{_REALM}, error="invalid_token"'


class OAuth2Authentication(BearerAuthentication):
    """Accepts access tokens issued by `/auth/oauth2/token`."""

    mode = "oauth2"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        """Return the access token's user and credential; one query, and the body is not read.

        Raises `AuthenticationFailed` if the token is unknown, revoked, expired or for another resource (RFC 8707), or
        if its user is inactive.
        """
        found, address = valid_access_token(token), request.build_absolute_uri(request.path)
        if found is None or not found.allows_audience(address):
            raise AuthenticationFailed(
                "The access token is unknown, expired or revoked, is for another resource, or its user is not active."
            )
        role = permitted_role(found.scope.split())
        application = found.application
        # A person has consented to a code; otherwise the program acts by itself.
        is_person = application.authorization_grant_type == application.GRANT_AUTHORIZATION_CODE
        own = "/{}/{}/".format(*db_id_and_dimension(request))

        def is_for(db_id: str, dimension: str) -> bool:
            return bool(found.allows_audience(address.replace(own, f"/{db_id}/{dimension}/", 1)))

        kind, name = "token of the application", str(application)
        return found.user, TokenCredential(kind, name, role, is_person=is_person, is_for=is_for)


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


_FLOW = {"tokenUrl": f"{settings.URL_PREFIX}/auth/oauth2/token", "scopes": SCOPES}
_AUTHORIZATION = f"{settings.URL_PREFIX}/auth/oauth2/authorize"

# Mode of settings.API_AUTHENTICATION -> its security scheme.
_SCHEMES: Mapping[str, dict[str, Any]] = {
    "basic": {"type": "http", "scheme": "basic", "description": "User name and password, in UTF-8."},
    "api-key": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        # X-API-Key is not a scheme of its own: clients would send the key in both headers, which is refused.
        "description": "An API key. `Authorization: Api-Key <key>` is accepted, too.",
    },
    "jwt": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A JSON Web Token: the `access` that `POST /auth/jwt/token` answers to user name and password, "
        "or a token of the identity provider that the application trusts.",
    },
    "oauth2": {
        "type": "oauth2",
        "description": "An access token. Its scope narrows what the grants of its user allow.",
        "flows": {
            "clientCredentials": _FLOW,
            "authorizationCode": {**_FLOW, "authorizationUrl": _AUTHORIZATION},
        },
    },
}


class AuthenticationScheme(OpenApiAuthenticationExtension):
    target_class = BaseAuthentication
    match_subclasses = True
    priority = 1

    def __init__(self, target: Any) -> None:
        self.target = target
        self.name = "apiKey" if target.mode == "api-key" else target.mode

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return _SCHEMES[self.target.mode]

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[str]]:
        """Return the scheme, for OAuth2 with the smallest scope that permits the operation."""
        return {str(self.name): [scope_of(auto_schema.view.role)] if self.name == "oauth2" else []}
