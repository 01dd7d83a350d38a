"""`/.well-known/oauth-authorization-server`: the endpoints and capabilities for OAuth2 clients (RFC 8414)."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from oauth2_provider.settings import oauth2_settings

from dimensions_site.api.access.modes import SCOPES
from dimensions_site.api.views import read_only

# Confidential applications send their secret in a Basic header or in the body.
_WITH_SECRET = ["client_secret_basic", "client_secret_post"]
# Public ones have none: they name themselves in the body and use PKCE.
_WITH_OR_WITHOUT = [*_WITH_SECRET, "none"]


@read_only
def metadata(request: HttpRequest, issuer_path: str = "") -> HttpResponse:
    """Return the metadata. Raises Http404 for the path of another issuer.

    Under URL_PREFIX, the standard appends that prefix to the well-known path, so both URLs exist.
    """
    if issuer_path and f"/{issuer_path}" != settings.URL_PREFIX:
        raise Http404

    def address(name: str) -> str:
        return request.build_absolute_uri(reverse(name))

    members = {
        # The same as `iss` in the responses of the authorization endpoint (RFC 9207).
        "issuer": oauth2_settings.oauth2_authorization_server_issuer(request),
        "authorization_endpoint": address("oauth2-authorize"),
        "token_endpoint": address("oauth2-token"),
        "revocation_endpoint": address("oauth2-revoke"),
        "introspection_endpoint": address("oauth2-introspect"),
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": _WITH_OR_WITHOUT,
        "revocation_endpoint_auth_methods_supported": _WITH_OR_WITHOUT,
        "introspection_endpoint_auth_methods_supported": _WITH_SECRET,
        "authorization_response_iss_parameter_supported": True,
    }
    return JsonResponse(members, headers={"Cache-Control": "no-cache"})
