"""What the libraries of tokens are told, made from our settings (contract G1).

`settings.py` reads this module, so nothing here may import Django's models.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from dimensions_site.api.authentication_modes import SCOPES

# Who issues and who reads our own JSON Web Tokens.
ISSUER = "dimensions"
# Signatures that only the provider can make. With those of the HS family, whoever can check one can make one.
ASYMMETRIC = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
# A changed password ends all JSON Web Tokens that were made with the one before.
_CHECKED = ("CHECK_REVOKE_TOKEN",)
# All that the best current practice of OAuth2 (RFC 9700) asks for; the last one keeps only the hashes of tokens.
_ENFORCED = (
    "PKCE_REQUIRED",
    "REFRESH_TOKEN_REUSE_PROTECTION",
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT",
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT",
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD",
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT",
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS",
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE",
)


@dataclass(frozen=True)
class IdentityProvider:
    """An outside identity provider whose tokens are taken: each token names the `issuer` and the `audience`.

    `user_claim` is the claim with the user name, `algorithms` are those in which a token may be signed.
    """

    issuer: str
    audience: str
    jwks_url: str
    user_claim: str
    algorithms: tuple[str, ...]


def identity_provider(
    issuer: str, audience: str, jwks_url: str, user_claim: str, algorithms: Sequence[str], modes: Sequence[str]
) -> IdentityProvider | None:
    """Return the provider that the settings IDP_… describe, None when they name none.

    Raises ImproperlyConfigured for half of a provider, and for one whose tokens no mode takes. Contract G1.
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


def simple_jwt(secret_key: str, access_minutes: int, refresh_days: int) -> dict[str, Any]:
    """What djangorestframework-simplejwt is told."""
    return {
        "ALGORITHM": "HS256",
        # A key of its own: what is signed here can stand for nothing else that SECRET_KEY signs.
        "SIGNING_KEY": hmac.digest(secret_key.encode(), b"dimensions: JSON Web Tokens", "sha256").hex(),
        "ISSUER": ISSUER,
        "AUDIENCE": ISSUER,
        "ACCESS_TOKEN_LIFETIME": timedelta(minutes=access_minutes),
        "REFRESH_TOKEN_LIFETIME": timedelta(days=refresh_days),
    } | dict.fromkeys(_CHECKED, True)


def oauth2_provider(access_minutes: int, refresh_days: int) -> dict[str, Any]:
    """What django-oauth-toolkit is told."""
    return {
        "SCOPES": SCOPES,
        "DEFAULT_SCOPES": ["read"],
        "ACCESS_TOKEN_EXPIRE_SECONDS": access_minutes * 60,
        "REFRESH_TOKEN_EXPIRE_SECONDS": refresh_days * 24 * 3600,
        "OAUTH2_SERVER_CLASS": "dimensions_site.tokens.oauth2_server.AuthorizationServer",
        "OAUTH2_VALIDATOR_CLASS": "dimensions_site.tokens.oauth2_validator.Validator",
        "OAUTH2_BACKEND_CLASS": "dimensions_site.tokens.oauth2_server.Backend",
        # A loopback address of an application on somebody's machine is allowed by `Application` itself.
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
    } | dict.fromkeys(_ENFORCED, True)
