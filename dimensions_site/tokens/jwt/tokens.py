"""JSON Web Tokens: issue them, and authenticate with them (contract G1; design/tokens.md)."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import jwt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dimensions_site.api.access.throttling import call_limit_problem, count_call
from dimensions_site.api.errors import quoted
from dimensions_site.repositories.permissions import Credential
from dimensions_site.tokens.bearer import BearerAuthentication
from dimensions_site.tokens.configuration import ISSUER
from dimensions_site.tokens.ending import generation_of
from dimensions_site.tokens.jwt import identity_provider
from dimensions_site.tokens.models import UsedToken

ALGORITHM = "HS256"
# The purpose of a token: API calls, or one renewal.
ACCESS, REFRESH = "access", "refresh"
# Identifies the login behind a refresh token, through all its renewals.
_LOGIN = "login"
# How often the user's tokens had been ended when the token was issued.
_GENERATION = "generation"
# Changes with the user's password, and so ends the token.
_FINGERPRINT = "hash_password"
_REQUIRED = ["exp", "iat", "jti", "token_type", "user_id", _FINGERPRINT, _GENERATION]

Claims = Mapping[str, Any]


class JwtAuthentication(BearerAuthentication):
    """Accepts JSON Web Tokens of `/auth/jwt/token`, and those of the identity provider, if configured."""

    mode = "jwt"

    def authenticated(self, token: str, request: Request) -> tuple[User, Credential]:
        """Return the token's user and credential; its `iss` decides whose signature it must have.

        Raises `AuthenticationFailed` for an invalid token, and Problem 503 if the identity provider's keys are
        unavailable.
        """
        issuer = _unverified_issuer(token)
        provider = settings.IDENTITY_PROVIDER
        if issuer == ISSUER:
            user = _user_of(_verified(token, ACCESS))
            return user, Credential("token of the user", user.get_username(), is_person=True)
        if provider is not None and issuer == provider.issuer:
            return identity_provider.authenticate_provider_token(token, provider)
        raise AuthenticationFailed(
            f"The token names the issuer {quoted(str(issuer))}, whose tokens are not accepted here."
        )


def issue(user: User) -> dict[str, str]:
    """Return an access token and a refresh token for a new login of a user whose password was just verified.

    Raises `AuthenticationFailed` if the user has been deactivated meanwhile.
    """
    found = _users().filter(pk=user.pk, is_active=True).first()
    if found is None:
        raise AuthenticationFailed("The user of this password is no longer active.")
    # Bound to the password that was verified.
    return _pair(user, generation_of(found), uuid4().hex)


def renew(token: str) -> dict[str, str]:
    """Return new tokens for a refresh token, which can be used once.

    A second use means that it was stolen, so it ends the login with all its refresh tokens. Raises
    `AuthenticationFailed`, or Problem 429 beyond THROTTLE_CALLS, after which the token is still valid. Contract G1.
    """
    used = _verified(token, REFRESH)
    user = _user_of(used)
    client = str(user.pk)
    if problem := call_limit_problem(client):
        raise problem
    login = used[_LOGIN]
    with transaction.atomic():
        is_first_use = _use_up(used["jti"], datetime.fromtimestamp(used["exp"], UTC))
        if not is_first_use:
            _use_up(login, timezone.now() + timedelta(days=settings.REFRESH_TOKEN_DAYS))
        is_good = is_first_use and not UsedToken.objects.filter(jti=login).exists()
    if not is_good:
        raise AuthenticationFailed("The refresh token has been used before, which has ended its login; log in again.")
    count_call(client)
    return _pair(user, generation_of(user), login)


def sign_token(claims: Claims) -> str:
    """Return a token with the claims, signed by the first key of JWT_SIGNING_KEYS, which its header names."""
    kid, key = next(iter(settings.JWT_SIGNING_KEYS.items()))
    return jwt.encode({**claims, "iss": ISSUER, "aud": ISSUER}, key, algorithm=ALGORITHM, headers={"kid": kid})


def new_claims(kind: str, user: User, lifetime: timedelta, generation: int = 0) -> dict[str, Any]:
    """Return the claims of a new token of the user; `generation` is how often the user's tokens were ended."""
    now = timezone.now()
    return {
        "token_type": kind,
        "exp": now + lifetime,
        "iat": now,
        "jti": uuid4().hex,
        "user_id": str(user.pk),
        _FINGERPRINT: _fingerprint(user),
        _GENERATION: generation,
    }


def _pair(user: User, generation: int, login: str) -> dict[str, str]:
    access = new_claims(ACCESS, user, timedelta(minutes=settings.ACCESS_TOKEN_MINUTES), generation)
    refresh = new_claims(REFRESH, user, timedelta(days=settings.REFRESH_TOKEN_DAYS), generation)
    return {"access": sign_token(access), "refresh": sign_token({**refresh, _LOGIN: login})}


def _use_up(jti: str, expires_at: datetime) -> bool:
    """Record that a refresh token was used or a login ended; return whether this is the first time.

    Of two concurrent calls, one is the first.
    """
    return UsedToken.objects.get_or_create(jti=jti, defaults={"expires_at": expires_at})[1]


def _unverified_issuer(token: str) -> Any:
    try:
        return jwt.decode(token, options={"verify_signature": False}).get("iss")
    except jwt.PyJWTError:
        raise AuthenticationFailed("The token is malformed: it is not a JSON Web Token.") from None


def _verified(token: str, kind: str) -> Claims:
    """Return the claims of a token of this kind that we have signed, for us, and that has not expired.

    Raises `AuthenticationFailed`.
    """
    try:
        key = settings.JWT_SIGNING_KEYS.get(str(jwt.get_unverified_header(token).get("kid")))
        if key is None:
            raise jwt.InvalidKeyError
        options: Any = {"require": _REQUIRED}
        claims: Claims = jwt.decode(token, key, [ALGORITHM], options, audience=ISSUER, issuer=ISSUER)
        if claims["token_type"] != kind:
            raise jwt.InvalidTokenError
    except jwt.ExpiredSignatureError:
        raise AuthenticationFailed(f"The {kind} token has expired.") from None
    except jwt.PyJWTError:
        raise AuthenticationFailed(f"This is not a valid {kind} token of this service.") from None
    return claims


def _users() -> QuerySet[User]:
    return User.objects.select_related("token_generation")


def _user_of(claims: Claims) -> User:
    user = _users().filter(pk=claims["user_id"]).first()
    if user is None or not user.is_active:
        raise AuthenticationFailed("The user of this token is not active.")
    if claims[_FINGERPRINT] != _fingerprint(user):
        raise AuthenticationFailed("The password of the user has been changed since this token was made.")
    if claims[_GENERATION] != generation_of(user):
        raise AuthenticationFailed("All tokens of the user have been ended since this token was made.")
    return user


def _fingerprint(user: User) -> str:
    """Return a hash of the stored password hash, which changes with the password and does not reveal it."""
    return hashlib.sha256(user.password.encode()).hexdigest()
