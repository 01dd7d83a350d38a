"""Tokens of an external identity provider, which may be slow, broken or unreachable (contract G1; design/tokens.md)."""

import threading
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import jwt
import structlog
from django.contrib.auth.models import User
from rest_framework.exceptions import AuthenticationFailed

from dimensions_site.api.errors import Problem, quoted
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import Credential
from dimensions_site.text.formats import shortened
from dimensions_site.tokens.bearer import ROLES, TokenCredential, permitted_role
from dimensions_site.tokens.configuration import IdentityProvider

log = structlog.get_logger(__name__)

# The tolerated difference between the provider's clock and ours, in seconds.
_LEEWAY = 30
_LONGEST_NAME = 150
# Seconds after which the keys are fetched again, so that withdrawn keys are rejected.
_KEPT = 300
# The minimum seconds between two fetches, whatever key ids forged tokens name: nobody can make us flood the provider.
_PAUSE = 10
# Seconds that clients wait for a fetch, counted from its start: all of them together, not each.
_TIMEOUT = 3
# The minimum strength for signatures according to NIST SP 800-131A and SP 800-186.
_RSA_BITS = 2048
_CURVES = frozenset({"secp256r1", "secp384r1", "secp521r1"})
# Seconds without a byte after which a fetch is aborted and the provider counts as unavailable.
_SILENCE = 3


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
    # Only a token for which a person has signed in says when (RFC 9068, 2.2.1).
    is_person = type(claims.get("auth_time")) is int
    return user, TokenCredential("token of the issuer", provider.issuer, _role(claims), is_person=is_person)


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
    return permitted_role(scopes) if scopes else Role.MANAGER


class ProviderKeys:
    """The public keys of a provider by `kid`, kept while the provider is unavailable.

    A separate thread fetches them, because no connection timeout ends a response that arrives byte by byte. Only one
    fetch runs at a time.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_SILENCE)
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._ended_at = self._got_at = float("-inf")
        self._refused: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        self._current: threading.Event | None = None
        self._waited_until = float("-inf")

    def get(self, kid: str) -> jwt.PyJWK | None:
        """Return the key, or None if it is unknown or weak. Raises Problem 503 if no keys are available."""
        is_known = kid in self._keys
        if not is_known or time.monotonic() - self._got_at > _KEPT:
            done, is_own = self._fetch()
            # A client whose key is unknown waits for the fetch; of the others, only one does.
            if done is not None and (is_own or not is_known):
                done.wait(max(0, self._waited_until - time.monotonic()))
        if self._got_at == float("-inf"):
            detail = "The keys of the identity provider are not available now. Try again in a few seconds."
            raise Problem(503, "IDENTITY_PROVIDER_UNAVAILABLE", detail, headers={"Retry-After": str(_PAUSE)})
        return self._keys.get(kid)

    def _fetch(self) -> tuple[threading.Event | None, bool]:
        """Return the event that ends the current fetch, if any, and whether this call started it."""
        with self._lock:
            if self._current is not None or time.monotonic() - self._ended_at < _PAUSE:
                return self._current, False
            self._current = done = threading.Event()
            self._waited_until = time.monotonic() + _TIMEOUT
            threading.Thread(target=self._run, args=[done], daemon=True).start()
            return done, True

    def _run(self, done: threading.Event) -> None:
        try:
            self._keys = self._strong(self._client.get_signing_keys())
            self._got_at = time.monotonic()
        # The library does not convert errors in the response and broken connections.
        except (jwt.PyJWTError, OSError, ValueError, RecursionError, NotImplementedError) as error:
            log.warning("identity_provider_unavailable", error=str(error))
        finally:
            with self._lock:
                self._ended_at = time.monotonic()
                self._current = None
            done.set()

    def _strong(self, keys: Iterable[jwt.PyJWK]) -> dict[str, jwt.PyJWK]:
        """Return the keys that are strong enough, by `kid`; log each of the others once."""
        found = {str(key.key_id): key for key in keys}
        weak = {kid: weakness for kid, key in found.items() if (weakness := _weakness(key))}
        for kid in weak.keys() - self._refused:
            log.warning("identity_provider_key_refused", kid=shortened(kid), reason=weak[kid])
        self._refused = frozenset(weak)
        return {kid: key for kid, key in found.items() if kid not in weak}


def _weakness(key: jwt.PyJWK) -> str | None:
    """Return why signatures of the key are rejected, or None for a strong key."""
    match key.key_type:
        case "RSA":
            return f"RSA with {key.key.key_size:,} bits" if key.key.key_size < _RSA_BITS else None
        case "EC":
            return f"the curve {key.key.curve.name}" if key.key.curve.name not in _CURVES else None
        case "OKP":  # Ed25519 and Ed448; PyJWT supports no others
            return None
    return f"the type {key.key_type}, which is not a public key type"


keys_at = cache(ProviderKeys)
