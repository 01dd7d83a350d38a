"""HTTP Basic authentication (contract G1, RFC 7617)."""

import base64
import re

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.utils.crypto import salted_hmac
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")


class BasicAuthentication(BaseAuthentication):
    """User name and password in the Authorization header of each request.

    Computing a password's hash costs a fifth of a second, so credentials that proved right are remembered for
    BASIC_CREDENTIALS_CACHE_SECONDS. The user is read each time: a changed password or a deactivated user counts
    at once.
    """

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, None] | None:
        """Return the user, or None when the header is of another scheme. Raises AuthenticationFailed."""
        scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
        if scheme.lower() != "basic":
            return None
        return _verified_user(*_decoded(credentials.strip())), None

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


def _verified_user(name: str, password: str) -> AbstractBaseUser:
    model = get_user_model()
    user = model._default_manager.filter(**{model.USERNAME_FIELD: model.normalize_username(name)}).first()
    if user is None:
        # An unknown name must take as long as a wrong password, or the names could be found out by the clock.
        make_password(password)
    elif _is_right(user, name, password) and user.is_active:
        return user
    raise AuthenticationFailed("The user name or the password is wrong, or the user is not active.")


def _is_right(user: AbstractBaseUser, name: str, password: str) -> bool:
    if cache.get(_cache_key(user, name, password)):
        return True
    if not user.check_password(password):
        return False
    # The key is made again: checking a password renews a stored hash that is older than the present hasher.
    cache.set(_cache_key(user, name, password), True, settings.BASIC_CREDENTIALS_CACHE_SECONDS)
    return True


def _cache_key(user: AbstractBaseUser, name: str, password: str) -> str:
    """Return a key that tells nothing about the password without SECRET_KEY and dies with the stored hash."""
    # No control character is in any of the three, so NUL separates them beyond doubt.
    secret = "\0".join((name, password, user.password))
    return "basic:" + salted_hmac(__name__, secret, algorithm="sha256").hexdigest()
