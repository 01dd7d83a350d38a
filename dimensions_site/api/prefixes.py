"""Which addresses belong to the REST API and its companions, where every error is a problem document (contract B1)."""

from django.http import HttpRequest

API_PREFIXES = ("/api/", "/dimensions/", "/openapi/", "/health/", "/auth/")
# The pages for people among them: on the first they let a program act for them, on the second Swagger UI learns of it.
CONSENT = "/auth/oauth2/authorize"
CALLBACK = "/auth/oauth2/callback"
# With what addresses of the service begin.
FIRST_SEGMENTS = frozenset({"admin", "docs", "metrics", "static", *(prefix.strip("/") for prefix in API_PREFIXES)})


def is_api_request(request: HttpRequest) -> bool:
    """Tell whether programs read the answer to `request`; elsewhere people read an HTML page."""
    return request.path_info.startswith(API_PREFIXES) and request.path_info not in (CONSENT, CALLBACK)
