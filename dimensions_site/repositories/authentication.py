"""Authentication by API key (contract G1)."""

import re

from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.repositories.models import ApiKey

_KEY = re.compile(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}")


class ApiKeyAuthentication(BaseAuthentication):
    """Takes `Authorization: Api-Key <key>` or `X-API-Key: <key>`; one query reads the key and its user."""

    scheme = "Api-Key"

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        """Return the key's user and the key, or None when the request carries no API key.

        Raises `AuthenticationFailed` (401) for a key that is malformed, unknown, revoked or expired, and
        for a user who is not active.
        """
        key = self._key(request)
        if key is None:
            return None
        if not _KEY.fullmatch(key):
            raise AuthenticationFailed("This is not an API key of this service.")
        try:
            api_key = ApiKey.objects.select_related("user").get(prefix=key[:8], revoked=False)
        except ApiKey.DoesNotExist:
            raise AuthenticationFailed("The API key is unknown or revoked.") from None
        if not api_key.is_valid(key):
            raise AuthenticationFailed("The API key is unknown or revoked.")
        if api_key.has_expired:
            raise AuthenticationFailed("The API key has expired.")
        if not api_key.user.is_active:
            raise AuthenticationFailed("The user of this API key is not active.")
        return api_key.user, api_key

    def authenticate_header(self, request: Request) -> str:
        return f'{self.scheme} realm="dimensions"'

    def _key(self, request: Request) -> str | None:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == self.scheme.lower():
            return key.strip()
        return request.headers.get("X-API-Key")
