"""Public keys of an identity provider, which may be slow, broken or unreachable (contract G1; design/tokens.md)."""

import threading
import time
from collections.abc import Iterable, Mapping
from functools import cache

import jwt
import structlog

from dimensions_site.api.errors import Problem
from dimensions_site.text.formats import shortened

log = structlog.get_logger(__name__)

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
