"""The authentication modes of the API (contract G1).

`settings.py` imports this module, so it must not import Django's models or REST framework.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.core.exceptions import ImproperlyConfigured

# Mode -> authentication class, in the order in which REST framework tries the classes.
_CLASSES: Mapping[str, str] = {
    "basic": "dimensions_site.api.access.basic.BasicAuthentication",
    "api-key": "dimensions_site.repositories.authentication.ApiKeyAuthentication",
    "oauth2": "dimensions_site.tokens.bearer.OAuth2Authentication",
    "jwt": "dimensions_site.tokens.bearer.JwtAuthentication",
}

# OAuth2 scopes in ascending order; each includes those before it.
SCOPES = {
    "read": "Read elements",
    "write": "Read and write elements",
    "manage": "Read and write elements, and delete many",
}


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


def mode_of(authenticator: object) -> str | None:
    """Return the mode of an authentication class's instance; None if the class is not in `_CLASSES`."""
    kind = type(authenticator)
    return next((mode for mode, path in _CLASSES.items() if path == f"{kind.__module__}.{kind.__qualname__}"), None)
