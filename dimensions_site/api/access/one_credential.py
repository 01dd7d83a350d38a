"""A request must have at most one credential, of an enabled scheme (contracts A6, G1; RFC 6750, 2)."""

import re
from collections.abc import Sequence

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

_API_KEY = "Api-Key"
# A short first word followed by more text; anything else may be the secret itself and is not repeated.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,19}) ")


def check_one_credential(request: Request) -> None:
    """Raise `AuthenticationFailed` for two credentials, and for a scheme of no enabled mode.

    Two credentials may belong to two users, and the client might mean either.
    """
    authorization = request.META.get("HTTP_AUTHORIZATION", "").strip()
    if not authorization:
        return
    schemes = _schemes(request)
    if request.META.get("HTTP_X_API_KEY") and _API_KEY in schemes:
        raise AuthenticationFailed(
            "The request has two credentials, one in Authorization and one in X-API-Key; send only one."
        )
    if authorization.partition(" ")[0].lower() in map(str.lower, schemes):
        return
    use = _alternatives(schemes)
    found = _SCHEME.match(authorization)
    if found is None:
        raise AuthenticationFailed(f"The header Authorization does not begin with a scheme; use {use}.")
    raise AuthenticationFailed(f"Unsupported scheme '{found[1]}'; use {use}.")


def credentials_missing(request: Request) -> str:
    """Return the message for a request without credentials."""
    return f"The request has no credentials; send the header Authorization with {_alternatives(_schemes(request))}."


def challenges(request: Request) -> Sequence[str]:
    """Return the distinct challenges of the enabled modes (contract B2); both bearer token modes have the same."""
    modes = (mode for mode in request.authenticators or () if isinstance(mode, BaseAuthentication))
    found = [mode.authenticate_header(request) for mode in modes]
    return list(dict.fromkeys(challenge for challenge in found if challenge))


def _schemes(request: Request) -> Sequence[str]:
    """Return the distinct schemes of the enabled modes, as their challenges spell them."""
    return list(dict.fromkeys(challenge.partition(" ")[0] for challenge in challenges(request)))


def _alternatives(schemes: Sequence[str]) -> str:
    *others, last = schemes
    return f"{', '.join(others)} or {last}" if others else last
