"""Scopes of tokens, and OAuth2 access tokens: random texts, stored as a hash (contracts G1, G2)."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from oauth2_provider.models import AccessToken
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import Credential

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


def authenticate_opaque_token(token: str, request: Request) -> tuple[User, Credential]:
    """Return the access token's user and credential; one query, and the body is not read.

    Raises `AuthenticationFailed` if the token is unknown, revoked, expired or for another resource (RFC 8707), or if
    its user is inactive.
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


def valid_access_token(token: str) -> Any:
    """Return the access token with its user and application; None if it is not valid for calls."""
    checksum = hashlib.sha256(token.encode()).hexdigest()
    found = AccessToken.objects.select_related("user", "application").filter(token_checksum=checksum).first()
    if found is None or found.is_expired() or found.user is None or not found.user.is_active:
        return None
    return found
