"""The public keys of an outside identity provider, which may be slow, broken or away (contract G1)."""

import threading
import time
from collections.abc import Mapping
from functools import cache

import jwt
import structlog

from dimensions_site.api.errors import Problem

log = structlog.get_logger(__name__)

# Seconds after which the keys are asked for anew, so that a key that the provider has withdrawn is not taken any more.
_KEPT = 300
# Seconds between an answer and the next question, whatever forged tokens name: nobody can make us overrun the provider.
_PAUSE = 10
# Seconds for which callers wait for an answer, counted from the question: all of them together, not each anew.
_PATIENCE = 3
# Seconds without a byte after which a question is given up, and the provider counts as away.
_SILENCE = 3


class ProviderKeys:
    """The public keys of a provider, by their `kid`; they stay while the provider does not answer.

    A thread of its own asks, for no time limit of a connection ends an answer that comes byte by byte. There is one
    question at a time.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_SILENCE)
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._ended_at = self._got_at = float("-inf")
        self._lock = threading.Lock()
        self._answered: threading.Event | None = None
        self._waited_until = float("-inf")

    def get(self, kid: str) -> jwt.PyJWK | None:
        """The key, None for one that the provider does not have. Raises Problem 503 while no keys could be had."""
        is_known = kid in self._keys
        if not is_known or time.monotonic() - self._got_at > _KEPT:
            answered, is_own = self._question()
            # Who looks for a key that has come just now waits for the answer, and of the others only one.
            if answered is not None and (is_own or not is_known):
                answered.wait(max(0, self._waited_until - time.monotonic()))
        if not self._keys:
            detail = "The identity provider does not give the keys of its tokens now. Try again in some seconds."
            raise Problem(503, "IDENTITY_PROVIDER_UNAVAILABLE", detail, headers={"Retry-After": str(_PAUSE)})
        return self._keys.get(kid)

    def _question(self) -> tuple[threading.Event | None, bool]:
        """What tells that the question of now is answered, if there is one, and whether it was asked just here."""
        with self._lock:
            if self._answered is not None or time.monotonic() - self._ended_at < _PAUSE:
                return self._answered, False
            self._answered = answered = threading.Event()
            self._waited_until = time.monotonic() + _PATIENCE
            threading.Thread(target=self._ask, args=[answered], daemon=True).start()
            return answered, True

    def _ask(self, answered: threading.Event) -> None:
        try:
            self._keys = {str(key.key_id): key for key in self._client.get_signing_keys()}
            self._got_at = time.monotonic()
        # The client lets faults in the answer and broken connections through as they are.
        except (jwt.PyJWTError, OSError, ValueError, RecursionError, NotImplementedError) as error:
            log.warning("identity_provider_unavailable", error=str(error))
        finally:
            with self._lock:
                self._ended_at = time.monotonic()
                self._answered = None
            answered.set()


keys_at = cache(ProviderKeys)
