"""The scopes of tokens: the roles that they permit, and the authentication modes with them in the OpenAPI documents.

Contract G1, G2.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication

from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import Credential
from dimensions_site.tokens.configuration import SCOPES

# The highest role that each of the `SCOPES` permits.
ROLES = {"read": Role.READER, "propose": Role.PROPOSER, "write": Role.EDITOR, "manage": Role.MANAGER}
REALM = 'Bearer realm="dimensions"'


@dataclass(frozen=True)
class TokenCredential(Credential):
    """A bearer token with scopes."""

    def challenge(self, role: Role) -> dict[str, str]:
        """Return the header of a 403 with the scope that `role` requires (RFC 6750, 3.1)."""
        return {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope_of(role)}"'}


def scope_of(role: Role) -> str:
    """Return the smallest scope that permits what `role` may do."""
    return next(scope for scope, allowed in ROLES.items() if allowed == role)


def role_of(scopes: Collection[str]) -> Role | None:
    """Return the role that the highest of the `scopes` permits; None if all of them are unknown."""
    return max((role for scope, role in ROLES.items() if scope in scopes), default=None)


_TOKEN = {"tokenUrl": f"{settings.URL_PREFIX}/auth/oauth2/token", "scopes": SCOPES}
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
        "flows": {"clientCredentials": _TOKEN, "authorizationCode": {**_TOKEN, "authorizationUrl": _AUTHORIZATION}},
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
