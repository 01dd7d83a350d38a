"""Authentication for the settings: its modes, the keys of our JSON Web Tokens, and the providers (contract G1, N1).

`settings.py` imports this module, so it must not import Django's models or REST framework.
"""

import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ImproperlyConfigured

# Mode -> authentication class, which names the mode, in the order in which REST framework tries the classes.
_CLASSES: Mapping[str, str] = {
    "basic": "dimensions_site.api.access.basic.BasicAuthentication",
    "api-key": "dimensions_site.repositories.authentication.ApiKeyAuthentication",
    "oauth2": "dimensions_site.tokens.bearer.OAuth2Authentication",
    "jwt": "dimensions_site.tokens.jwt.tokens.JwtAuthentication",
}

# OAuth2 scopes in ascending order; each includes those before it.
SCOPES = {
    "read": "Read elements",
    "propose": "Read elements, and propose changes",
    "write": "Read and write elements",
    "manage": "Read and write elements, and delete many",
}

# The issuer and the audience of our own JSON Web Tokens.
ISSUER = "dimensions"
# Asymmetric signatures only. With the HS family, anyone who can verify a token can also forge one.
ASYMMETRIC = (*("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), *("ES256", "ES384", "ES512", "EdDSA"))


def authentication_classes(modes: Sequence[str]) -> list[str]:
    """Return the dotted paths of the authentication classes for `modes`, in the order of `_CLASSES`.

    Raises ImproperlyConfigured when `modes` is empty, repeats a mode or names an unknown one. Contract G1.
    """
    allowed = ", ".join(_CLASSES)
    if not modes:
        raise ImproperlyConfigured(f"API_AUTHENTICATION names no authentication mode; choose from: {allowed}.")
    for mode, count in Counter(modes).items():
        if mode not in _CLASSES:
            raise ImproperlyConfigured(
                f"API_AUTHENTICATION names {mode!r}, which is not an authentication mode of this release; "
                f"choose from: {allowed}."
            )
        if count > 1:
            raise ImproperlyConfigured(f"API_AUTHENTICATION names {mode!r} {count} times; name each mode once.")
    return [path for mode, path in _CLASSES.items() if mode in modes]


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
    if not _are_set("An identity provider", IDP_ISSUER=issuer, IDP_AUDIENCE=audience, IDP_JWKS_URL=jwks_url):
        return None
    if not user_claim:
        raise ImproperlyConfigured("IDP_USER_CLAIM is empty; it has to be the claim with the user name, such as sub.")
    if "jwt" not in modes:
        raise ImproperlyConfigured(
            "IDP_ISSUER names an identity provider, but API_AUTHENTICATION does not have 'jwt', the mode of its tokens."
        )
    return IdentityProvider(issuer, audience, jwks_url, user_claim, tuple(algorithms))


def _are_set(what: str, **needed: str) -> bool:
    """Return whether the settings that it needs are set: all or none. Raises ImproperlyConfigured for some of them."""
    missing = [name for name, value in needed.items() if not value]
    if 0 < len(missing) < len(needed):
        raise ImproperlyConfigured(
            f"{what} needs {', '.join(needed)}; not set: {', '.join(missing)}. Set all of them or none."
        )
    return not missing


def signing_keys(secret_key: str, fallbacks: Sequence[str]) -> dict[str, str]:
    """Return the keys of our JSON Web Tokens by `kid`: first the one that signs, then those that only verify."""
    return {
        _derived(secret, b"dimensions: kid of JSON Web Tokens")[:16]: _derived(secret, b"dimensions: JSON Web Tokens")
        for secret in (secret_key, *fallbacks)
    }


def _derived(secret_key: str, purpose: bytes) -> str:
    """Derive a separate key, so that its signatures are useless for anything else that SECRET_KEY signs."""
    return hmac.digest(secret_key.encode(), purpose, "sha256").hex()


@dataclass(frozen=True)
class OpenIdProvider:
    """The company's OpenID provider, at which people sign in to the pages; this service is its client `client_id`.

    `groups_claim` is the claim of the ID token with the names of a person's groups.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    groups_claim: str
    scopes: tuple[str, ...]


def openid_provider(
    issuer: str, client_id: str, client_secret: str, groups_claim: str, scopes: Sequence[str]
) -> OpenIdProvider | None:
    """Return the provider configured by the settings OIDC_…, or None. Contract N1.

    Raises ImproperlyConfigured for an incomplete one, and for scopes with which it would not be an OpenID provider.
    """
    needed = {"OIDC_ISSUER": issuer, "OIDC_CLIENT_ID": client_id, "OIDC_CLIENT_SECRET": client_secret}
    if not _are_set("Sign-in at an OpenID provider", **{name: value.strip() for name, value in needed.items()}):
        return None
    if "?" in issuer or "#" in issuer:
        raise ImproperlyConfigured(
            f"OIDC_ISSUER is '{issuer}'; an issuer has no query and no fragment: "
            "copy it from the provider's discovery document, without /.well-known/openid-configuration."
        )
    if not groups_claim:
        raise ImproperlyConfigured("OIDC_GROUPS_CLAIM is empty; it has to be the claim with the names of groups.")
    if "openid" not in scopes:
        raise ImproperlyConfigured(
            f"OIDC_SCOPES is '{','.join(scopes)}'; openid has to be one of them: without it, there is no ID token."
        )
    return OpenIdProvider(issuer, client_id, client_secret, groups_claim, tuple(scopes))


def local_sign_in(chosen: str, provider: OpenIdProvider | None) -> str:
    """Return who signs in to the pages with a password kept here: `all`, `superusers` or `none`. Contract N1.

    Raises ImproperlyConfigured if people could then not sign in at all.
    """
    if provider is None and chosen not in ("", "all"):
        raise ImproperlyConfigured(
            f"LOCAL_SIGN_IN is '{chosen}', but there is no other sign-in: set OIDC_ISSUER, or leave it at all."
        )
    return chosen or ("all" if provider is None else "superusers")
