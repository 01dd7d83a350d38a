"""Tokens of an outside identity provider (contract G1)."""

from collections.abc import Mapping
from typing import Any

import jwt
from django.contrib.auth.models import User
from rest_framework.exceptions import AuthenticationFailed

from dimensions_site.api.errors import quoted
from dimensions_site.repositories.credentials import UNLIMITED, Credential, Limits
from dimensions_site.tokens.configuration import IdentityProvider
from dimensions_site.tokens.credentials import ROLES, TokenCredential, limits_of_scopes
from dimensions_site.tokens.provider_keys import keys_at

# Seconds by which the provider's clock may differ from ours.
_LEEWAY = 30


def authenticated(token: str, provider: IdentityProvider) -> tuple[User, Credential]:
    """Return the user whom the provider's token names, and what its scopes allow.

    Raises `AuthenticationFailed` for a token that is not signed by the provider, not for us or not valid now, and for a
    user who is not known or not active: users are never made here. Raises Problem 503 while no keys could be had.
    """
    claims = _verified_claims(token, provider)
    name = claims.get(provider.user_claim)
    if not isinstance(name, str) or not name or "\0" in name:
        raise AuthenticationFailed(f"The token has no user name in its claim {quoted(provider.user_claim)}.")
    user = User.objects.filter(username=name).first()
    if user is None or not user.is_active:
        raise AuthenticationFailed(
            f"The token is of {quoted(name)}, who is no active user of this service; users are made by its operators."
        )
    return user, TokenCredential("token of the issuer", provider.issuer, _limits(claims))


def _verified_claims(token: str, provider: IdentityProvider) -> dict[str, Any]:
    """The claims of a token that keeps everything: what its header says beyond `kid` and `alg` is not looked at."""
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


def _limits(claims: Mapping[str, Any]) -> Limits:
    """What the scopes allow at most, when one of them is ours: others, such as `openid`, say nothing about us."""
    told = claims.get("scope", claims.get("scp", ""))
    words = told.split() if isinstance(told, str) else told if isinstance(told, list) else []
    scopes = [scope for scope in ROLES if scope in words]
    return limits_of_scopes(scopes) if scopes else UNLIMITED
