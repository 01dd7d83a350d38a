"""Access tokens of OAuth2: random texts, of which the database keeps the hash (contract G1)."""

import hashlib
from typing import Any

from django.contrib.auth.models import User
from oauth2_provider.models import AccessToken
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.credentials import Credential
from dimensions_site.tokens.credentials import TokenCredential, limits_of_scopes


def authenticated(token: str, request: Request) -> tuple[User, Credential]:
    """Return the user of the access token and what its scopes allow; one query, and the body is not read.

    Raises `AuthenticationFailed` for a token that is unknown, revoked or expired, whose user is not active, or that was
    asked for another resource (RFC 8707).
    """
    found = valid_access_token(token)
    if found is None or not found.allows_audience(request.build_absolute_uri(request.path)):
        raise AuthenticationFailed(
            "The access token is unknown, expired or revoked, is for another resource, or its user is not active."
        )
    scopes = limits_of_scopes(found.scope.split())
    return found.user, TokenCredential("token of the application", str(found.application), scopes)


def valid_access_token(token: str) -> Any:
    """The access token with its user and its application, None when calls with it are not taken."""
    checksum = hashlib.sha256(token.encode()).hexdigest()
    found = AccessToken.objects.select_related("user", "application").filter(token_checksum=checksum).first()
    if found is None or found.is_expired() or found.user is None or not found.user.is_active:
        return None
    return found
