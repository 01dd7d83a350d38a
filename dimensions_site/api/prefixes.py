"""Which addresses belong to the REST API and its companions, where every error is a problem document (contract B1)."""

from django.http import HttpRequest

API_PREFIXES = ("/api/", "/dimensions/", "/openapi/", "/health/", "/auth/")
# The one page for people among them: there they let a program act for them.
CONSENT = "/auth/oauth2/authorize"
# With what addresses of the service begin.
FIRST_SEGMENTS = frozenset({"admin", "docs", "metrics", "static", *(prefix.strip("/") for prefix in API_PREFIXES)})


def is_api_request(request: HttpRequest) -> bool:
    """Tell whether programs read the answer to `request`; elsewhere people read an HTML page."""
    return request.path_info.startswith(API_PREFIXES) and request.path_info != CONSENT
