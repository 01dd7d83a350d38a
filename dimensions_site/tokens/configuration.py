"""The signing keys of our JSON Web Tokens and the identity provider, for the settings (contract G1).

`settings.py` imports this module, so it must not import Django's models.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

# The issuer and the audience of our own JSON Web Tokens.
ISSUER = "dimensions"
# Asymmetric signatures only. With the HS family, anyone who can verify a token can also forge one.
ASYMMETRIC = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)


@dataclass(frozen=True)
class IdentityProvider:
    """An external identity provider, whose tokens must have this `issuer` and `audience`.

    `user_claim` is the claim with the user name, `algorithms` are the accepted signature algorithms.
    """

    issuer: str
    audience: str
    jwks_url: str
    user_claim: str
    algorithms: tuple[str, ...]


def identity_provider(
    issuer: str, audience: str, jwks_url: str, user_claim: str, algorithms: Sequence[str], modes: Sequence[str]
) -> IdentityProvider | None:
    """Return the provider configured by the settings IDP_…, or None.

    Raises ImproperlyConfigured for an incomplete one, and for one without an enabled mode for its tokens. Contract G1.
    """
    needed = {"IDP_ISSUER": issuer, "IDP_AUDIENCE": audience, "IDP_JWKS_URL": jwks_url}
    missing = [name for name, value in needed.items() if not value]
    if len(missing) == len(needed):
        return None
    if missing:
        raise ImproperlyConfigured(
            f"An identity provider needs {', '.join(needed)}; not set: {', '.join(missing)}. Set all of them or none."
        )
    if not user_claim:
        raise ImproperlyConfigured("IDP_USER_CLAIM is empty; it has to be the claim with the user name, such as sub.")
    if "jwt" not in modes:
        raise ImproperlyConfigured(
            "IDP_ISSUER names an identity provider, but API_AUTHENTICATION does not have 'jwt', the mode of its tokens."
        )
    return IdentityProvider(issuer, audience, jwks_url, user_claim, tuple(algorithms))


def signing_keys(secret_key: str, fallbacks: Sequence[str]) -> dict[str, str]:
    """Return the keys of our JSON Web Tokens by `kid`: first the one that signs, then those that only verify."""
    return {
        _derived(secret, b"dimensions: kid of JSON Web Tokens")[:16]: _derived(secret, b"dimensions: JSON Web Tokens")
        for secret in (secret_key, *fallbacks)
    }


def _derived(secret_key: str, purpose: bytes) -> str:
    """Derive a separate key, so that its signatures are useless for anything else that SECRET_KEY signs."""
    return hmac.digest(secret_key.encode(), purpose, "sha256").hex()
