"""Which addresses belong to the REST API and its companions, where every error is a problem document (contract B1)."""

from django.http import HttpRequest

_API_PREFIXES = ("/api/", "/dimensions/", "/openapi/", "/health/", "/auth/")


def is_api_request(request: HttpRequest) -> bool:
    """Tell whether programs read the answer to `request`; elsewhere people read an HTML page."""
    return request.path_info.startswith(_API_PREFIXES)
