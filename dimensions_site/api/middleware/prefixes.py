"""The URLs of the REST API and its companions, where every error is a problem document (contract B1)."""

from django.http import HttpRequest

API_PREFIXES = ("/api/", "/dimensions/", "/openapi/", "/health/", "/auth/", "/.well-known/")
# HTML pages among them: users grant access to a program on the first; Swagger UI receives its code on the second.
CONSENT = "/auth/oauth2/authorize"
CALLBACK = "/auth/oauth2/callback"
# First segments of the service's URLs.
FIRST_SEGMENTS = frozenset(
    {"admin", "docs", "favicon.ico", "metrics", "static", *(prefix.strip("/") for prefix in API_PREFIXES)}
)


def is_api_request(request: HttpRequest) -> bool:
    """Return whether the response to `request` is for a program, not an HTML page for people."""
    return request.path_info.startswith(API_PREFIXES) and request.path_info not in (CONSENT, CALLBACK)
