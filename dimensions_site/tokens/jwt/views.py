"""`/auth/jwt/…`: JSON Web Tokens for user name and password, and for a refresh token (contract G1)."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from dimensions_site.api.access.throttling import call_limit_problem, client_address, count_call, login_refusal
from dimensions_site.api.errors import Failure, bad_request
from dimensions_site.api.views import ConventionsMixin
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import close_names, unknown_field
from dimensions_site.tokens.jwt import tokens as json_web_tokens


class _TokenView(ConventionsMixin):
    """Accepts a POST from anyone: the credentials are in the body."""

    permission_classes = ()
    throttle_classes = ()

    def identify(self, request: Request) -> None:
        """Authenticate nobody: credentials in headers are ignored."""


class LogInView(_TokenView):
    def post(self, request: Request) -> Response:
        """Respond with the tokens of a new login.

        Raises `AuthenticationFailed` for a wrong name or password alike. Django computes a hash for an unknown name,
        too, so that timing does not reveal which names exist. A correct password counts as a call of its user: beyond
        THROTTLE_CALLS it raises Problem 429.
        """
        username, password = _texts(request.data, ("username", "password"))
        wrapped, name = request._request, User.normalize_username(username)
        client = _client(wrapped, name)
        if problem := call_limit_problem(client):
            raise problem
        user = authenticate(wrapped, username=name, password=password)
        if not isinstance(user, User):
            raise login_refusal(wrapped) or AuthenticationFailed(
                "The user name or the password is wrong, or the user is not active."
            )
        for counted in (client, str(user.pk)):
            if problem := count_call(counted):
                raise problem
        return Response(json_web_tokens.issue(user))


class RenewView(_TokenView):
    def post(self, request: Request) -> Response:
        """Respond with new tokens for a refresh token, which can be used once.

        Raises `AuthenticationFailed`, or Problem 429.
        """
        (refresh,) = _texts(request.data, ("refresh",))
        return Response(json_web_tokens.renew(refresh))


def _client(request: HttpRequest, name: str) -> str:
    """Return the key that counts correct passwords before their user is known: the name, per client address.

    If the user alone counted, anyone could find out which names exist: those that get 429 instead of 401.
    """
    return f"{hashlib.sha256(name.encode()).hexdigest()}@{client_address(request)}"


def _texts(body: Any, names: Sequence[str]) -> list[str]:
    """Return the texts of the members `names`, which the body must have, and no others. Raises Problem 400."""
    if not isinstance(body, dict):
        raise bad_request([Failure("", "INVALID", "The body must be a JSON object.")])
    failures = [
        Failure(
            shortened(name),
            "UNKNOWN_MEMBER",
            unknown_field(name, close_names(name, tuple(names))) + f" The body takes {', '.join(names)}.",
        )
        for name in body
        if name not in names
    ]
    for name in names:
        if body.get(name) is None:
            failures.append(Failure(name, "REQUIRED", f"{name} is missing; it must be a non-empty string."))
        elif not isinstance(body[name], str) or not body[name]:
            failures.append(Failure(name, "INVALID", f"{name} must be a non-empty string."))
    if failures:
        raise bad_request(failures)
    return [body[name] for name in names]
