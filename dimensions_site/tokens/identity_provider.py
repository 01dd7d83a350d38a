"""Tokens of an outside identity provider (contract G1)."""

import threading
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import jwt
import structlog
from django.contrib.auth.models import User
from rest_framework.exceptions import AuthenticationFailed

from dimensions_site.api.errors import Problem, quoted
from dimensions_site.repositories.credentials import UNLIMITED, Credential, Limits
from dimensions_site.tokens.configuration import IdentityProvider
from dimensions_site.tokens.credentials import ROLES, TokenCredential, limits_of_scopes

log = structlog.get_logger(__name__)

# Seconds after which the keys are asked for anew, so that a key that the provider has withdrawn is not taken any more.
_KEPT = 300
# Seconds between two questions, whatever forged tokens name: nobody can make us overrun the provider.
_PAUSE = 10
_TIMEOUT = 3
# Seconds by which the provider's clock may differ from ours.
_LEEWAY = 30


class ProviderKeys:
    """The public keys of a provider, by their `kid`.

    They stay while the provider does not answer. Of those who have a known key one at a time asks, and no other waits.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_TIMEOUT)
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._asked_at = self._got_at = float("-inf")
        self._asking = threading.Lock()

    def get(self, kid: str) -> jwt.PyJWK | None:
        """The key, None for one that the provider does not have. Raises Problem 503 while no keys could be had."""
        is_known = kid in self._keys
        is_stale = time.monotonic() - self._got_at > _KEPT
        # One asks. Who looks for a key that has come just now waits for the answer.
        if (is_stale or not is_known) and self._asking.acquire(blocking=not is_known):
            try:
                self._ask()
            finally:
                self._asking.release()
        if not self._keys:
            detail = "The identity provider does not give the keys of its tokens now. Try again in some seconds."
            raise Problem(503, "IDENTITY_PROVIDER_UNAVAILABLE", detail, headers={"Retry-After": str(_PAUSE)})
        return self._keys.get(kid)

    def _ask(self) -> None:
        if time.monotonic() - self._asked_at < _PAUSE:
            return
        self._asked_at = time.monotonic()
        try:
            keys = self._client.get_signing_keys()
        # The client lets faults in the answer and broken connections through as they are.
        except (jwt.PyJWTError, OSError, ValueError, RecursionError) as error:
            log.warning("identity_provider_unavailable", error=str(error))
            return
        self._keys = {str(key.key_id): key for key in keys}
        self._got_at = time.monotonic()


keys_at = cache(ProviderKeys)


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
