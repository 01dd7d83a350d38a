"""The OAuth2 authorization server, with exactly the supported grants (contract G1; design/tokens.md)."""

from typing import Any

from django.http import HttpRequest
from oauth2_provider.models import Grant
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.common import Request
from oauthlib.oauth2 import (
    ClientCredentialsGrant,
    InvalidGrantError,
    InvalidRequestError,
    UnsupportedGrantTypeError,
    WebApplicationServer,
)

from dimensions_site.text.formats import shortened
from dimensions_site.tokens.oauth2.parameters import JSON_HEADERS

# The request attribute with the authenticated application.
APPLICATION = "dimensions.application"


class AuthorizationServer(WebApplicationServer):
    """Supports client credentials, and the authorization code with refresh tokens.

    oauthlib's server for all grants also has the password grant, which reveals whether a password is right even if no
    application may use it.
    """

    def __init__(self, validator: Any, **options: Any) -> None:
        super().__init__(validator, **options)
        self.grant_types["client_credentials"] = ClientCredentialsGrant(validator)

    def validate_token_request(self, request: Any) -> None:
        """Reject a missing or unknown grant type, which oauthlib would treat as an authorization code."""
        super().validate_token_request(request)
        if not request.grant_type:
            raise InvalidRequestError("The parameter grant_type is missing.", request=request)
        if request.grant_type not in self.grant_types:
            known, sent = ", ".join(sorted(self.grant_types)), shortened(request.grant_type)
            raise UnsupportedGrantTypeError(f"grant_type must be one of {known}; got '{sent}'.", request=request)


class Backend(OAuthLibCore):
    """Passes requests to the server, and completes its responses."""

    def authenticate_client(self, request: HttpRequest) -> bool:
        """Return whether the application has authenticated; the request keeps it as `APPLICATION`."""
        wrapped = Request(*self._extract_params(request))
        is_right = bool(self.server.request_validator.authenticate_client(wrapped))
        request.META[APPLICATION] = wrapped.client if is_right else None
        return is_right

    def create_token_response(self, request: HttpRequest) -> tuple[Any, dict[str, str], str, int]:
        """Return a JSON response that must not be cached; 400 for the second of two concurrent requests with the same
        code.
        """
        try:
            _, headers, body, status = super().create_token_response(request)
        except Grant.DoesNotExist:
            error = InvalidGrantError("The authorization code has been used.")
            headers, body, status = error.headers, error.json, error.status_code
        return None, JSON_HEADERS | headers, body, status
