"""The authentication modes in the OpenAPI documents (contract G1)."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication

from dimensions_site.tokens.configuration import SCOPES
from dimensions_site.tokens.credentials import scope_of

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
