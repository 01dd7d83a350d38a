"""The URLs of the service, and errors in the percent-encoding of URLs."""

import re
from urllib.parse import unquote, unquote_to_bytes

from django.http import HttpRequest

# The REST API and its companions, where every error is a problem document (contract B1).
API_PREFIXES = ("/api/", "/dimensions/", "/openapi/", "/health/", "/auth/", "/.well-known/", "/version")
# HTML pages among them: users grant access to a program on the first; Swagger UI receives its code on the second.
CONSENT = "/auth/oauth2/authorize"
CALLBACK = "/auth/oauth2/callback"
# First segments of the service's URLs.
FIRST_SEGMENTS = frozenset(
    {"admin", "docs", "favicon.ico", "metrics", "static", *(prefix.strip("/") for prefix in API_PREFIXES)}
)

_LONE_PERCENT_SIGN = re.compile(r"%(?![0-9A-Fa-f]{2})")
# The filter language treats a tab as whitespace, and allows any text character in quotes (contract D1). It reports
# other control characters itself.
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FILTER = "filter="
_NUL = re.compile("\0")


def is_api_request(request: HttpRequest) -> bool:
    """Return whether the response to `request` is for a program, not an HTML page for people."""
    return request.path_info.startswith(API_PREFIXES) and request.path_info not in (CONSENT, CALLBACK)


def decoding_error(encoded: str) -> str | None:
    """Return why `encoded` cannot be decoded unambiguously, where Django would guess (contract B3); None if it can."""
    if _LONE_PERCENT_SIGN.search(encoded):
        return "holds a percent sign without two hexadecimal digits after it (a percent sign itself is written %25)"
    try:
        unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError:
        return "is not valid UTF-8 once its percent signs are decoded"
    return None


def query_error(encoded: str) -> str | None:
    """Return a description of the error in the percent-encoded query string `encoded`; None if it is valid."""
    error = decoding_error(encoded)
    if error:
        return error
    others = (part for part in encoded.split("&") if not part.startswith(_FILTER))
    found = _NUL.search(unquote(encoded)) or _CONTROL_CHARACTER.search(unquote("&".join(others)))
    return f"holds the control character U+{ord(found[0]):04X}" if found else None
