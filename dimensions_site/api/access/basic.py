"""HTTP Basic authentication (contract G1, RFC 7617)."""

import base64
import re

from django.conf import settings
from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.api.access.throttling import client_address, login_refusal

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")


class BasicAuthentication(BaseAuthentication):
    """User name and password in the Authorization header of each request.

    Hashing a password takes a fifth of a second, so verified credentials are cached for
    BASIC_CREDENTIALS_CACHE_SECONDS, per client address. The user is read for each request: changing the password or
    deactivating the user takes effect at once.
    """

    mode = "basic"

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, None] | None:
        """Return the user, or None when the header is of another scheme.

        Raises AuthenticationFailed (401), and Problem 429 after too many wrong passwords.
        """
        scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
        if scheme.lower() != "basic":
            return None
        return _verified_user(request._request, *_decoded(credentials.strip())), None

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge for a 401 (contract B2)."""
        return 'Basic realm="dimensions", charset="UTF-8"'


def _decoded(credentials: str) -> tuple[str, str]:
    try:
        text = base64.b64decode(credentials, validate=True).decode("utf-8")
    except ValueError:
        raise AuthenticationFailed(
            "The Basic credentials cannot be read: they must be `user name:password` in UTF-8, encoded as Base64."
        ) from None
    name, colon, password = text.partition(":")
    if not colon:
        raise AuthenticationFailed("The Basic credentials hold no colon between user name and password.")
    if _CONTROL_CHARACTER.search(text):
        raise AuthenticationFailed("The Basic credentials hold a control character; user name and password have none.")
    return name, password


def _verified_user(request: HttpRequest, name: str, password: str) -> AbstractBaseUser:
    model = get_user_model()
    name = model.normalize_username(name)
    user = model._default_manager.filter(**{model.USERNAME_FIELD: name}).first()
    key = "basic:" + _hmac(name, client_address(request))
    if user is not None and user.is_active and constant_time_compare(cache.get(key, ""), _proof(user, password)):
        return user
    verified = authenticate(request, username=name, password=password)
    if verified is not None:
        # `verified` has the current hash: checking a password may upgrade a stored hash to the current hasher.
        cache.set(key, _proof(verified, password), settings.BASIC_CREDENTIALS_CACHE_SECONDS)
        return verified
    if problem := login_refusal(request):
        # Otherwise a locked-out client could guess the cached password without further hashing.
        cache.delete(key)
        raise problem
    raise AuthenticationFailed("The user name or the password is wrong, or the user is not active.")


def _proof(user: AbstractBaseUser, password: str) -> str:
    """Return a digest that reveals nothing about the password without SECRET_KEY, and changes with the stored hash."""
    return _hmac(user.get_username(), password, user.password)


def _hmac(*secrets: str) -> str:
    # None of the values contains control characters, so NUL separates them unambiguously.
    return salted_hmac(__name__, "\0".join(secrets), algorithm="sha256").hexdigest()
