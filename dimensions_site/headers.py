"""What answers tell browsers: what a page may load and do, and which other sites' scripts may call the REST API."""

from typing import Any

from csp.constants import NONCE, NONE, SELF, UNSAFE_INLINE

from dimensions_site.api.prefixes import API_PREFIXES

CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        # Files of the service. A script or a style inside of a page counts with the nonce of that answer, which
        # templates get as `request.csp_nonce`.
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        # Alpine and simplebar set the widths of single elements on pages of the administration.
        "style-src-attr": [UNSAFE_INLINE],
        "img-src": [SELF, "data:"],  # the icons of Swagger UI and of unfold's forms stand in their style sheets
        "font-src": [SELF],
        "connect-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# Of CORS. Only what programs call; cookies are never asked for.
CORS_URLS_REGEX = f"^({'|'.join(API_PREFIXES)})"
CORS_ALLOW_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
CORS_ALLOW_HEADERS = (
    "Accept",
    "Authorization",
    "Content-Encoding",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Prefer",
    "X-API-Key",
    "X-Request-ID",
)
CORS_EXPOSE_HEADERS = (
    "Allow",
    "Content-Disposition",
    "ETag",
    "Idempotent-Replayed",
    "Location",
    "Preference-Applied",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-ID",
    "X-Total-Count",
)
