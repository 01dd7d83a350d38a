"""The authorization server of OAuth2: the grants that it knows, and no others (contract G1)."""

from typing import Any

from django.http import HttpRequest
from oauth2_provider.models import Grant
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.common import Request
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    AuthorizationEndpoint,
    BearerToken,
    ClientCredentialsGrant,
    InvalidGrantError,
    InvalidRequestError,
    RefreshTokenGrant,
    ResourceEndpoint,
    RevocationEndpoint,
    TokenEndpoint,
    UnsupportedGrantTypeError,
)

# Where a request keeps which application has shown its secret.
APPLICATION = "dimensions.application"
JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store"}


class AuthorizationServer(AuthorizationEndpoint, TokenEndpoint, ResourceEndpoint, RevocationEndpoint):
    """Client credentials, and the authorization code with its refresh tokens.

    oauthlib's own server also has the password grant, which tells right passwords from wrong ones even where no
    application may use it.
    """

    def __init__(self, validator: Any, token_expires_in: int, **options: Any) -> None:
        bearer = BearerToken(validator, expires_in=token_expires_in)
        code = AuthorizationCodeGrant(validator)
        self._grants = {
            "authorization_code": code,
            "client_credentials": ClientCredentialsGrant(validator),
            "refresh_token": RefreshTokenGrant(validator),
        }
        AuthorizationEndpoint.__init__(self, "code", bearer, {"code": code})
        TokenEndpoint.__init__(self, "authorization_code", bearer, self._grants)
        ResourceEndpoint.__init__(self, "Bearer", {"Bearer": bearer})
        RevocationEndpoint.__init__(self, validator)

    def validate_token_request(self, request: Any) -> None:
        """Refuse a grant that is missing or unknown, which oauthlib would take for an authorization code."""
        super().validate_token_request(request)
        if not request.grant_type:
            raise InvalidRequestError("The parameter grant_type is missing.", request=request)
        if request.grant_type not in self._grants:
            raise UnsupportedGrantTypeError(
                f"The grants are {', '.join(self._grants)}; this one is unknown.", request=request
            )


class Backend(OAuthLibCore):
    """Hands requests to the server, and completes its answers."""

    def authenticate_client(self, request: HttpRequest) -> bool:
        """Tell whether the application has shown its secret; which one it is stays with the request, as `APPLICATION`.

        A request may name two, one in its header and one in its body: the one whose secret is right is meant.
        """
        asked = Request(*self._extract_params(request))
        is_right = bool(self.server.request_validator.authenticate_client(asked))
        request.META[APPLICATION] = asked.client if is_right else None
        return is_right

    def create_token_response(self, request: HttpRequest) -> tuple[Any, dict[str, str], str, int]:
        """Answer JSON that nobody keeps, and 400 also to one of two requests that redeem the same code at once."""
        try:
            _, headers, body, status = super().create_token_response(request)
        except Grant.DoesNotExist:
            error = InvalidGrantError("The authorization code has been used.")
            headers, body, status = error.headers, error.json, error.status_code
        return None, JSON_HEADERS | headers, body, status
