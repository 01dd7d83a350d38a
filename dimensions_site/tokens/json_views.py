"""`/auth/jwt/…`: JSON Web Tokens for a user name and a password, and new ones for a refresh token (contract G1)."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from dimensions_site.api.errors import Failure, bad_request
from dimensions_site.api.logins import login_refusal
from dimensions_site.api.problems import shortened
from dimensions_site.api.throttling import address_of, called_too_often, count_call, count_refusal
from dimensions_site.api.views import ConventionsMixin
from dimensions_site.tokens import json_web_tokens


class _TokenView(ConventionsMixin):
    """Takes a POST from anybody: who somebody is stands in its body."""

    permission_classes = ()
    throttle_classes = ()

    def identify(self, request: Request) -> None:
        """Nobody has to show here who he is, and no credentials are looked at."""

    def post(self, request: Request) -> Response:
        """Answer tokens. Raises `AuthenticationFailed`, or Problem 429 when that has happened too often."""
        try:
            return Response(self.tokens(request))
        except AuthenticationFailed:
            if problem := count_refusal(request._request):
                raise problem from None
            raise

    def tokens(self, request: Request) -> dict[str, str]:
        raise NotImplementedError


class LogInView(_TokenView):
    def tokens(self, request: Request) -> dict[str, str]:
        """The tokens of a new login. Raises `AuthenticationFailed`, whichever of name and password is wrong.

        Django computes a hash for a name that is unknown too, so that the names cannot be found out by the clock.
        A right password is a call of its user: beyond THROTTLE_CALLS it raises Problem 429.
        """
        username, password = _texts(request.data, ("username", "password"))
        asked, name = request._request, User.normalize_username(username)
        caller = _caller(asked, name)
        if problem := called_too_often(caller):
            raise problem
        user = authenticate(asked, username=name, password=password)
        if not isinstance(user, User):
            raise login_refusal(asked) or AuthenticationFailed(
                "The user name or the password is wrong, or the user is not active."
            )
        for counted in (caller, str(user.pk)):
            if problem := count_call(counted):
                raise problem
        return json_web_tokens.issue(user)


class RenewView(_TokenView):
    def tokens(self, request: Request) -> dict[str, str]:
        """New tokens for a refresh token, good for that once. Raises `AuthenticationFailed`, or Problem 429."""
        (refresh,) = _texts(request.data, ("refresh",))
        return json_web_tokens.renew(refresh)


def _caller(request: HttpRequest, name: str) -> str:
    """By what right passwords are counted before it is known whose they are: the name, at the address of the caller.

    By the user alone anybody could learn which names there are: those that are answered 429 in place of 401.
    """
    return f"{hashlib.sha256(name.encode()).hexdigest()}@{address_of(request)}"


def _texts(body: Any, names: Sequence[str]) -> list[str]:
    """The texts of the members `names`, which the body has to have, and no others. Raises Problem 400."""
    if not isinstance(body, dict):
        raise bad_request([Failure("", "INVALID", "The body has to be a JSON object.")])
    failures = [
        Failure(shortened(name), "UNKNOWN_MEMBER", f"There is no member of this name; known are {', '.join(names)}.")
        for name in body
        if name not in names
    ]
    for name in names:
        if name not in body:
            failures.append(Failure(name, "REQUIRED", f"The member {name} is missing."))
        elif not isinstance(body[name], str) or not body[name]:
            failures.append(Failure(name, "INVALID", f"The member {name} has to be a text that is not empty."))
    if failures:
        raise bad_request(failures)
    return [body[name] for name in names]
