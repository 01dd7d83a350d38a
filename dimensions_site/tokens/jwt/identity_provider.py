"""Tokens of an external identity provider (contract G1)."""

from collections.abc import Mapping
from typing import Any

import jwt
from django.contrib.auth.models import User
from rest_framework.exceptions import AuthenticationFailed

from dimensions_site.api.errors import quoted
from dimensions_site.repositories.access import Credential
from dimensions_site.repositories.models import Role
from dimensions_site.tokens.configuration import IdentityProvider
from dimensions_site.tokens.credentials import ROLES, TokenCredential, role_of
from dimensions_site.tokens.jwt.provider_keys import keys_at

# The tolerated difference between the provider's clock and ours, in seconds.
_LEEWAY = 30
_LONGEST_NAME = 150


def authenticate_provider_token(token: str, provider: IdentityProvider) -> tuple[User, Credential]:
    """Return the user named by the provider's token, and the credential with the role that its scopes permit.

    Raises `AuthenticationFailed` if the token is not signed by the provider, not issued for this service or not valid
    now, and for an unknown or inactive user: users are never created here. Raises Problem 503 if no keys are available.
    """
    claims = _verified_claims(token, provider)
    name = claims.get(provider.user_claim)
    # No valid user name contains a lone surrogate or NUL, on which PostgreSQL fails.
    if not isinstance(name, str) or not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        raise AuthenticationFailed(
            f"The claim {quoted(provider.user_claim)} of the token is not a user name of 1 to {_LONGEST_NAME} "
            "printable characters."
        )
    user = User.objects.filter(username=name).first()
    if user is None or not user.is_active:
        raise AuthenticationFailed(
            f"The token is for {quoted(name)}, who is not an active user of this service; its operators create users."
        )
    return user, TokenCredential("token of the issuer", provider.issuer, _role(claims))


def _verified_claims(token: str, provider: IdentityProvider) -> dict[str, Any]:
    """Return the claims of a valid token; of its header, only `kid` and `alg` are used."""
    try:
        kid = jwt.get_unverified_header(token).get("kid")
        key = keys_at(provider.jwks_url).get(kid) if kid else None
        if key is None:
            raise AuthenticationFailed("The identity provider does not have the key that the token names.")
        return jwt.decode(
            token,
            key,
            algorithms=list(provider.algorithms),
            issuer=provider.issuer,
            audience=provider.audience,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "aud"]},
        )
    except jwt.ExpiredSignatureError:
        raise AuthenticationFailed("The token of the identity provider has expired.") from None
    except jwt.ImmatureSignatureError:
        raise AuthenticationFailed("The token of the identity provider is not yet valid.") from None
    except jwt.InvalidAudienceError:
        raise AuthenticationFailed("The token of the identity provider is not for this service.") from None
    except jwt.PyJWTError:
        raise AuthenticationFailed("This is not a valid token of the identity provider.") from None


def _role(claims: Mapping[str, Any]) -> Role | None:
    """Return the role that the scopes permit, if one of them is ours: others, such as `openid`, are irrelevant."""
    scope_claim = claims.get("scope", claims.get("scp", ""))
    words = (
        scope_claim.split() if isinstance(scope_claim, str) else scope_claim if isinstance(scope_claim, list) else []
    )
    scopes = [scope for scope in ROLES if scope in words]
    return role_of(scopes) if scopes else Role.MANAGER
