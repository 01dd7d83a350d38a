"""Ask the OpenID provider, which may be slow, broken or unreachable (contract N1; design/sign-in.md).

Authlib speaks the protocol. Here is what it leaves to its user: limits of time and size, and a discovery document that
cannot configure more than addresses.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

import structlog
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.http import Http404
from joserfc.errors import JoseError
from requests import RequestException, Response

from dimensions_site.text.formats import shortened
from dimensions_site.tokens.configuration import ASYMMETRIC, OpenIdProvider

log = structlog.get_logger(__name__)

T = TypeVar("T")

# Seconds that a request waits for all answers together; seconds without a byte after which a call ends.
_TIMEOUT = 5
_SILENCE = 3
# Seconds after which the discovery document and the keys are read again, so that withdrawn keys are rejected.
_KEPT = 300
# Seconds without any call after one that failed: requests do not wait in turn for a provider that is down.
_PAUSE = 10
# Of the threads of a process, as many wait for the provider at once; others wait for them for a second.
_CALLS = 2
_WAIT = 1
# An ID token with 5,000 groups has a fifth of it.
_LONGEST_ANSWER = 1024 * 1024
_PIECE = 64 * 1024

_NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL = ("userinfo_endpoint", "end_session_endpoint")
_FLAGS = ("authorization_response_iss_parameter_supported",)
_METHODS = "token_endpoint_auth_methods_supported"
_BASIC, _POST = "client_secret_basic", "client_secret_post"
# The algorithms in which it signs.
ALGORITHMS = "id_token_signing_alg_values_supported"


# Also what Authlib and joserfc raise for answers of another form than those that they expect.
_UNUSABLE = (
    *(RequestException, OSError, TimeoutError, ValueError),
    *(TypeError, LookupError, AttributeError, RuntimeError),
)


class ProviderUnavailable(Exception):
    """The provider gave no usable answer in time; the log has the reason."""


class OpenIdClient:
    """The provider of the settings, through a client of Authlib that is replaced every five minutes."""

    def __init__(self, setting: OpenIdProvider) -> None:
        self.setting = setting
        self._client: Any = None
        self._loaded_at = self._failed_at = float("-inf")
        self._calls = threading.BoundedSemaphore(_CALLS)

    def ask(self, question: Callable[[Any], T]) -> T:
        """Return what `question` returns for the client of Authlib; it runs in a thread, and must not use the database.

        Raises ProviderUnavailable if that takes longer than five seconds, or the provider's answer is unusable, and
        errors of Authlib and joserfc as they are: the provider has refused, or sent an invalid token.
        """
        if time.monotonic() - self._failed_at < _PAUSE or not self._calls.acquire(timeout=_WAIT):
            raise ProviderUnavailable
        answer: Future[T] = Future()
        # No timeout of a connection ends an answer that arrives byte by byte.
        threading.Thread(target=self._run, args=[question, answer], daemon=True).start()
        try:
            return answer.result(_TIMEOUT)
        except (AuthlibBaseError, JoseError):
            raise
        except _UNUSABLE as error:
            self._failed_at = time.monotonic()
            log.warning("openid_provider_unavailable", error=shortened(f"{type(error).__name__}: {error}"))
            raise ProviderUnavailable from error

    def renew(self) -> bool:
        """Have the keys read again at the next question, unless they are new; return whether they will be."""
        if time.monotonic() - self._loaded_at < _PAUSE:
            return False
        self._loaded_at = float("-inf")
        return True

    def _run(self, question: Callable[[Any], T], answer: "Future[T]") -> None:
        try:
            answer.set_result(question(self._current()))
        except Exception as error:  # raised again where the answer is awaited
            answer.set_exception(error)
        finally:
            self._calls.release()

    def _current(self) -> Any:
        if time.monotonic() - self._loaded_at > _KEPT:
            self._client = _loaded_client(self.setting)
            self._loaded_at = time.monotonic()
        return self._client


_client_of = cache(OpenIdClient)


def provider() -> OpenIdClient:
    """Return the provider of the settings. Raises Http404 if there is none, because its pages do not exist then."""
    if settings.OPENID_PROVIDER is None:
        raise Http404
    return _client_of(settings.OPENID_PROVIDER)


def _loaded_client(setting: OpenIdProvider) -> Any:
    """Return a client that has read the discovery document. Raises ValueError for an unusable one."""
    client = OAuth().register(
        "openid",
        client_id=setting.client_id,
        client_secret=setting.client_secret,
        server_metadata_url=f"{setting.issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": " ".join(setting.scopes),
            "code_challenge_method": "S256",
            "default_timeout": _SILENCE,
            # The client's secret goes to no other address.
            "max_redirects": 0,
            "hooks": {"response": [_bounded]},
        },
    )
    found = client.load_server_metadata()
    client.server_metadata = _metadata(found, setting.issuer)
    if _BASIC not in (found.get(_METHODS) or [_BASIC]):
        client.client_kwargs["token_endpoint_auth_method"] = _POST
    return client


def _metadata(found: Mapping[str, Any], issuer: str) -> dict[str, Any]:
    """Return the members of the discovery document that are used: Authlib takes all of them as options of its session.

    Raises ValueError if it is another issuer's, or has an address without https.
    """
    if found.get("issuer") != issuer:
        raise ValueError(f"The discovery document is of the issuer {found.get('issuer')!r}, not {issuer!r}")
    used = {name: found[name] for name in (*_NEEDED, *_OPTIONAL, *_FLAGS) if found.get(name)}
    for name in (*_NEEDED, *_OPTIONAL):
        address = str(used.get(name, "" if name in _NEEDED else "https://"))
        # An issuer without https is on this machine.
        if not address.startswith(("https://", "http://") if issuer.startswith("http://") else "https://"):
            raise ValueError(f"The discovery document has {name} {address!r}, which is not an https address")
    algorithms = [name for name in found.get(ALGORITHMS) or ["RS256"] if name in ASYMMETRIC]
    if not algorithms:
        raise ValueError("The provider signs ID tokens with no public key")
    return {**used, "issuer": issuer, ALGORITHMS: algorithms, "_loaded_at": found["_loaded_at"]}


def _bounded(response: Response, **_: Any) -> None:
    """Read the answer, and end the call when it gets too long."""
    pieces, length = [], 0
    for piece in response.iter_content(_PIECE):
        pieces.append(piece)
        length += len(piece)
        if length > _LONGEST_ANSWER:
            raise ValueError(f"The answer of the provider is longer than {_LONGEST_ANSWER:,} bytes")
    vars(response)["_content"] = b"".join(pieces)
