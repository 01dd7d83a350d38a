"""What is true of applications, codes and refresh tokens of OAuth2, beyond what the library asks (contract G1)."""

from typing import Any

from oauth2_provider.models import AccessToken, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2 import InvalidGrantError


class Validator(OAuth2Validator):
    """Tokens stand for active users only, and each refresh token is worth one renewal."""

    def _load_application(self, client_id: str | None, request: Any) -> Any:
        """The application, None for an unknown one; PostgreSQL would fail on NUL, which may come in a Basic header."""
        return None if "\0" in (client_id or "") else super()._load_application(client_id, request)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Tell whether the code may be redeemed: its user must still be active."""
        return bool(super().validate_code(client_id, code, client, request)) and request.user.is_active

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Tell whether the refresh token may be used: its user must still be active."""
        return bool(super().validate_refresh_token(refresh_token, client, request)) and request.user.is_active

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Let one of two requests win that bring the same refresh token at once.

        The library would hand the tokens of the first one to the second, but of these only hashes are kept.
        """
        renewed = getattr(request, "refresh_token_instance", None)
        if renewed is not None:
            still_good = RefreshToken.objects.select_for_update().filter(pk=renewed.pk, revoked=None).first()
            if still_good is None:
                raise InvalidGrantError("The refresh token has been used.", request=request)
        super()._save_bearer_token(token, request, *args, **kwargs)

    def _create_access_token(
        self, expires: Any, request: Any, token: dict[str, Any], source_refresh_token: Any = None
    ) -> AccessToken:
        """Make the token; one that an application got for itself acts as the application's user."""
        if request.grant_type == "client_credentials":
            request.user = request.client.user
        return super()._create_access_token(expires, request, token, source_refresh_token)
