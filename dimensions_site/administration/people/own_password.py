"""The page on which people change their own password (contract G1; design/sign-in.md)."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from dimensions_site.api.access.throttling import client_address, count_refusal, refusal_limit_problem
from dimensions_site.repositories.login.lockout import LoginAttempt
from dimensions_site.repositories.login.passwords import words_of_lockout


def own_password_page(request: HttpRequest) -> HttpResponse:
    """Return the page; wrong passwords count as at the sign-in, and after too many none is checked."""
    if request.method != "POST":
        return admin.site.password_change(request)
    attempt = LoginAttempt(cast(User, request.user).get_username(), client_address(request))
    if problem := refusal_limit_problem(request) or attempt.refusal():
        messages.error(request, words_of_lockout(problem))
        return redirect("admin:password_change")
    response: Any = admin.site.password_change(request)
    if response.status_code == HTTPStatus.FOUND:
        attempt.succeeded()
    elif "old_password" in response.context_data["form"].errors:
        count_refusal(request)
        attempt.failed()
    return cast(HttpResponse, response)
