"""JSON Web Tokens: those that this service issues, and whose a token is (contract G1)."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import jwt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework_simplejwt import tokens
from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
from rest_framework_simplejwt.tokens import AccessToken, Token
from rest_framework_simplejwt.utils import datetime_from_epoch, get_md5_hash_password

from dimensions_site.api.errors import quoted
from dimensions_site.api.throttling import called_too_often, count_call
from dimensions_site.repositories.credentials import Credential
from dimensions_site.tokens import identity_provider
from dimensions_site.tokens.configuration import ISSUER
from dimensions_site.tokens.ending import generation_of

# Names the login from which a refresh token comes, through all its renewals.
_LOGIN = "login"
# How often all tokens of the user had been ended when the token was made; those of earlier releases do not tell.
_GENERATION = "generation"


class RefreshToken(Token):
    """A token that is good for one renewal.

    The library's own would store each one in full when it is made. Here the database learns of used ones only.
    """

    token_type = tokens.RefreshToken.token_type
    lifetime: timedelta = tokens.RefreshToken.lifetime


def authenticated(token: str) -> tuple[User, Credential]:
    """Return the user of the token and what it allows. Its `iss` tells who has to have signed it.

    Raises `AuthenticationFailed` for a token that is not taken, Problem 503 while the keys of the identity provider
    cannot be had. Contract G1.
    """
    issuer = _unverified_issuer(token)
    provider = settings.IDENTITY_PROVIDER
    if issuer == ISSUER:
        user = _user_of(_read(AccessToken, token))
        return user, Credential("token of the user", user.get_username())
    if provider is not None and issuer == provider.issuer:
        return identity_provider.authenticated(token, provider)
    raise AuthenticationFailed(f"The token names the issuer {quoted(str(issuer))}, whose tokens are not taken here.")


def issue(user: User) -> dict[str, str]:
    """Return an access token and a refresh token of a new login, for a user whose password has just been right.

    Raises `AuthenticationFailed` for one who has been deactivated meanwhile.
    """
    found = _users().filter(pk=user.pk, is_active=True).first()
    if found is None:
        raise AuthenticationFailed("The user of this password is not active any more.")
    # Bound to the password that was shown.
    return _pair(user, generation_of(found), uuid4().hex)


def renew(token: str) -> dict[str, str]:
    """Return new tokens for a refresh token, which is used up by that.

    A token that is used twice has been stolen, or its thief was quicker: the login ends, with all its refresh tokens.
    Raises `AuthenticationFailed`, or Problem 429 beyond THROTTLE_CALLS, and then the token is good still. Contract G1.
    """
    used = _read(RefreshToken, token)
    user = _user_of(used)
    caller = str(user.pk)
    if problem := called_too_often(caller):
        raise problem
    login = used[_LOGIN]
    with transaction.atomic():
        is_first_use = _put_on_blacklist(used["jti"], user, datetime_from_epoch(used["exp"]))
        if not is_first_use:
            _put_on_blacklist(login, user, timezone.now() + RefreshToken.lifetime)
        is_good = is_first_use and not BlacklistedToken.objects.filter(token__jti=login).exists()
    if not is_good:
        raise AuthenticationFailed("The refresh token has been used before, which has ended its login; log in again.")
    count_call(caller)
    return _pair(user, generation_of(user), login)


def _pair(user: User, generation: int, login: str) -> dict[str, str]:
    access, refresh = AccessToken.for_user(user), RefreshToken.for_user(user)
    refresh[_LOGIN] = login
    access[_GENERATION] = refresh[_GENERATION] = generation
    return {"access": str(access), "refresh": str(refresh)}


def _put_on_blacklist(jti: str, user: User, expires_at: datetime) -> bool:
    """Tell whether it was not there before; of two at once one is the first."""
    known = {"user": user, "created_at": timezone.now(), "expires_at": expires_at}
    outstanding, _ = OutstandingToken.objects.get_or_create(jti=jti, defaults=known)
    return BlacklistedToken.objects.get_or_create(token=outstanding)[1]


def _unverified_issuer(token: str) -> Any:
    try:
        return jwt.decode(token, options={"verify_signature": False}).get("iss")
    except jwt.PyJWTError:
        raise AuthenticationFailed("The token is malformed: it is not a JSON Web Token.") from None


def _read(kind: type[Token], token: Any) -> Token:
    """The token of that kind, signed by us, for us, and not expired."""
    try:
        return kind(token)
    except ExpiredTokenError:
        raise AuthenticationFailed(f"The {kind.token_type} token has expired.") from None
    except TokenError:
        raise AuthenticationFailed(f"This is not a valid {kind.token_type} token of this service.") from None


def _users() -> QuerySet[User]:
    """Users, with how often their tokens were ended."""
    return User.objects.select_related("token_generation")


def _user_of(token: Token) -> User:
    user = _users().filter(pk=token[api_settings.USER_ID_CLAIM]).first()
    if user is None or not user.is_active:
        raise AuthenticationFailed("The user of this token is not active.")
    if token[api_settings.REVOKE_TOKEN_CLAIM] != get_md5_hash_password(user.password):
        raise AuthenticationFailed("The password of the user has been changed since this token was made.")
    if token.get(_GENERATION, 0) != generation_of(user):
        raise AuthenticationFailed("All tokens of the user have been ended since this token was made.")
    return user
