"""The authentication backend for all passwords: HTTP Basic, token endpoints, pages (contract G1; design/sign-in.md)."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.forms import AuthenticationForm

from dimensions_site.api.access.throttling import (
    client_address,
    count_refusal,
    login_refusal,
    refusal_limit_problem,
    refuse_login,
)
from dimensions_site.api.errors import Problem
from dimensions_site.repositories.login.lockout import LoginAttempt

_BY_COMPANY = gettext_lazy("Sign in with your company's account.")


class PasswordBackend(ModelBackend):
    """Checks passwords, unless too many were wrong before, and counts wrong ones."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        """Return the active user with this password, else None.

        Raises PermissionDenied if the password is not checked. In that case, and if this password locks the name, the
        429 is attached to the request as `login_refusal`.
        """
        if request is None:
            raise TypeError("A password is checked for a request, because wrong ones are counted by its address.")
        problem = refusal_limit_problem(request)
        if problem is None:
            attempt = LoginAttempt(str(username), client_address(request))
            problem = attempt.refusal()
        if problem is not None:
            refuse_login(request, problem)
            raise PermissionDenied
        user = super().authenticate(request, username, password, **kwargs)
        if user is not None:
            attempt.succeeded()
            return user
        count_refusal(request)
        if problem := attempt.failed():
            refuse_login(request, problem)
        return None


class SignInForm(AuthenticationForm):
    """The login form of the administration, which says why a user is not signed in.

    A wrong password gets the same answer whether the user exists, is active or has access to the administration. Only
    the right one learns more, as it does from the REST API.
    """

    @property
    def with_provider(self) -> bool:
        """Whether people sign in at the OpenID provider."""
        return settings.OPENID_PROVIDER is not None

    @property
    def with_password(self) -> bool:
        """Whether anybody signs in with a password (LOCAL_SIGN_IN)."""
        return bool(settings.LOCAL_SIGN_IN != "none")

    def clean(self) -> dict[str, Any]:
        """Check no password where nobody signs in with one (contract N1)."""
        if not self.with_password:
            raise ValidationError(_BY_COMPANY)
        cleaned: dict[str, Any] = super().clean()
        return cleaned

    def confirm_login_allowed(self, user: User) -> None:
        """Raise `ValidationError` for a user whose password is right, and who has no access to the administration or
        signs in at the OpenID provider.
        """
        if settings.LOCAL_SIGN_IN == "superusers" and not user.is_superuser:
            raise ValidationError(_BY_COMPANY)
        if not user.is_staff:
            raise ValidationError(_("You have no access to the administration. Ask your administrator for it."))

    def get_invalid_login_error(self) -> ValidationError:
        """Return the error for a wrong name or password, or for a lockout (contract G1)."""
        problem = login_refusal(self.request) if self.request is not None else None
        if problem is None:
            return ValidationError(_("The user name or the password is wrong. Both are case-sensitive."))
        return ValidationError(words_of_lockout(problem))


def words_of_lockout(problem: Problem) -> str:
    """Return the sentence for people about the 429 of a lockout."""
    minutes = -(-int(problem.headers["Retry-After"]) // 60)
    text = ngettext(
        "There were too many wrong passwords. Please try again in %(minutes)d minute.",
        "There were too many wrong passwords. Please try again in %(minutes)d minutes.",
        minutes,
    )
    return text % {"minutes": minutes}


def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Return the login page, with the status and the headers of the 429 that its form explains."""
    response = admin.site.login(request)
    if problem := login_refusal(request):
        response.status_code = problem.status_code
        for name, value in problem.headers.items():
            response.headers[name] = value
    return response
