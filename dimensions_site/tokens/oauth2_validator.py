"""What is true of applications, codes and refresh tokens of OAuth2, beyond what the library asks (contract G1)."""

from typing import Any

from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2 import InvalidGrantError

from dimensions_site.api.throttling import count_call
from dimensions_site.tokens.credentials import ROLES, limits_of_scopes
from dimensions_site.tokens.ending import locked
from dimensions_site.tokens.models import FirstScope


class Validator(OAuth2Validator):
    """Tokens stand for active users only, and each refresh token is worth one renewal."""

    def _extract_basic_auth(self, request: Any) -> str | None:
        """The credentials of a Basic header; what is not ASCII is passed over there like all that is not base64."""
        credentials = super()._extract_basic_auth(request)
        return credentials and str(credentials).encode("ascii", "replace").decode()

    def _load_application(self, client_id: str | None, request: Any) -> Any:
        """The application, None for an unknown one; PostgreSQL would fail on NUL, which may come in a Basic header."""
        return None if "\0" in (client_id or "") else super()._load_application(client_id, request)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Tell whether the code may be redeemed: its user must still be active."""
        return bool(super().validate_code(client_id, code, client, request)) and request.user.is_active

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Tell whether the refresh token may be used: its user must still be active."""
        return bool(super().validate_refresh_token(refresh_token, client, request)) and request.user.is_active

    def get_original_scopes(self, refresh_token: str, request: Any, *args: Any, **kwargs: Any) -> str:
        """The scope that was granted at first, of which each renewal may ask for a part (RFC 6749, 6)."""
        kept = FirstScope.objects.filter(refresh_token=request.refresh_token_instance).first()
        request.first_scope = kept.scope if kept else super().get_original_scopes(refresh_token, request)
        return str(request.first_scope)

    def is_within_original_scope(
        self, request_scopes: list[str], refresh_token: str, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Tell whether the scopes are ours and none is greater: `write` includes `read`, which it does not name."""
        granted = limits_of_scopes(request.first_scope.split()).role
        return granted is not None and all(ROLES.get(scope, granted + 1) <= granted for scope in request_scopes)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Issue the tokens, if what they are issued for is good still and the user may call once more.

        One of two requests wins that bring the same refresh token at once: the library would hand the tokens of the
        first one to the second, but of these only hashes are kept. Raises InvalidGrantError, or Problem 429.
        """
        owner = request.client.user if request.grant_type == "client_credentials" else request.user
        # Whoever ends the tokens of the user at this moment waits, or has ended what the request brings.
        user = locked(owner.pk)
        if user is None or not user.is_active or not _is_good_still(request):
            raise InvalidGrantError("What the request brings has been used or ended.", request=request)
        if problem := count_call(str(user.pk)):
            raise problem
        super()._save_bearer_token(token, request, *args, **kwargs)

    def _create_refresh_token(
        self, request: Any, refresh_token_code: str, access_token: AccessToken, previous_refresh_token: Any
    ) -> RefreshToken:
        """Make the token, with the scope of the one before it, however narrow the access token is."""
        made = super()._create_refresh_token(request, refresh_token_code, access_token, previous_refresh_token)
        if previous_refresh_token and set(access_token.scope.split()) != set(request.first_scope.split()):
            FirstScope.objects.create(refresh_token=made, scope=request.first_scope)
        return made

    def _create_access_token(
        self, expires: Any, request: Any, token: dict[str, Any], source_refresh_token: Any = None
    ) -> AccessToken:
        """Make the token; one that an application got for itself acts as the application's user."""
        if request.grant_type == "client_credentials":
            request.user = request.client.user
        return super()._create_access_token(expires, request, token, source_refresh_token)


def _is_good_still(request: Any) -> bool:
    """Whether the code or the refresh token that the request brings has been neither used nor ended meanwhile."""
    renewed = getattr(request, "refresh_token_instance", None)
    if renewed is not None:
        return RefreshToken.objects.select_for_update().filter(pk=renewed.pk, revoked=None).first() is not None
    if request.grant_type == "authorization_code":
        grants = Grant.objects.select_for_update().filter(code=request.code, application=request.client)
        return grants.first() is not None
    return True
