"""Wrong passwords are counted for each user name and address, and too many lock both out for a while (contract G1).

django-axes asks and tells this module wherever a password is checked: HTTP Basic, the token end points and the sign-in
page of the administration. Counting is our own, because that of django-axes keeps what the request carried (a password
under another name would be in its table), adds to it with each failure, and cleans the whole table each time.
"""

import math
import unicodedata
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.db import OperationalError
from django.db.models.functions import Now
from django.db.transaction import atomic
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.logins import GuessedRequest, login_refusal, refuse_login
from dimensions_site.api.prefixes import is_api_request
from dimensions_site.api.throttling import count_refusal, counted_address, refused_too_often
from dimensions_site.repositories.locks import is_about_locks, sqlite_patience

# As many characters as a user name may have.
_LONGEST_NAME = 150
# While a bulk save holds SQLite's one lock for writers, wrong passwords are not counted here, but by address still.
_PATIENCE = 1
# An operator may look for who was locked out lately.
_KEPT = timedelta(days=7)

Credentials = dict[str, Any]


class CountedRequest(GuessedRequest):
    """What django-axes knows of a request: when it came, and from which address."""

    axes_attempt_time: datetime
    axes_ip_address: str
    axes_failures_since_start: int


class GuessHandler(AxesDatabaseHandler):
    """Keeps the number of wrong passwords in one row for each user name and address."""

    def is_allowed(self, request: CountedRequest, credentials: Credentials | None = None) -> bool:
        """Whether a password is looked at; if not, the 429 stays with the request. One query."""
        problem = refused_too_often(request)
        if problem is None:
            attempt = self.get_user_attempts(request, credentials)[0].first()
            request.axes_failures_since_start = attempt.failures_since_start if attempt else 0
            if attempt is None or attempt.failures_since_start < settings.LOGIN_ATTEMPTS:
                return True
            problem = _locked(request, attempt.attempt_time)
        refuse_login(request, problem)
        return False

    def user_login_failed(
        self, sender: Any, credentials: Credentials, request: CountedRequest | None = None, **kwargs: Any
    ) -> None:
        """Count a wrong password, whether there is such a user or not; one that was not looked at does not count."""
        if request is None or login_refusal(request):
            return
        count_refusal(request)
        try:
            with sqlite_patience(_PATIENCE), atomic():
                failures = self._count(request, credentials)
        except OperationalError as error:
            if not is_about_locks(error):
                raise
            return
        if failures >= settings.LOGIN_ATTEMPTS:
            refuse_login(request, _locked(request, request.axes_attempt_time))

    def user_logged_in(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: `PasswordBackend` has forgotten the failures."""

    def user_logged_out(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: nothing was noted."""

    def reset_attempts(
        self, *, ip_address: str | None = None, username: str | None = None, ip_or_username: bool = False
    ) -> int:
        """Forget the failures of a name, an address or both, however they are written, for the commands."""
        count: int = super().reset_attempts(
            ip_address=counted_address(ip_address) if ip_address else None,
            username=_comparable(username) if username else None,
            ip_or_username=ip_or_username,
        )
        return count

    def forget(self, request: CountedRequest, credentials: Credentials) -> None:
        """Forget the failures of the name and address, if there are any."""
        if not request.axes_failures_since_start:
            return
        try:
            with sqlite_patience(_PATIENCE):
                self.reset_user_attempts(request, credentials)
        except OperationalError as error:
            # The failures are forgotten by the next right password, or by the clock.
            if not is_about_locks(error):
                raise

    def _count(self, request: CountedRequest, credentials: Credentials) -> int:
        attempt, is_new = AccessAttempt.objects.select_for_update().get_or_create(
            username=get_client_username(request, credentials),
            ip_address=request.axes_ip_address,
            user_agent="",
            defaults={"failures_since_start": 1},
        )
        if not is_new:
            is_recent = attempt.attempt_time >= get_cool_off_threshold(request)
            attempt.failures_since_start = attempt.failures_since_start + 1 if is_recent else 1
            attempt.attempt_time = request.axes_attempt_time
            attempt.save(update_fields=["failures_since_start", "attempt_time"])
        return int(attempt.failures_since_start)


def counted_name(request: HttpRequest, credentials: Credentials) -> str:
    """Return the name by which failures are counted, whether there is such a user or not."""
    return _comparable(str(credentials.get("username")))


def refused_login(
    request: HttpRequest, response: HttpResponseBase, credentials: Credentials | None = None
) -> HttpResponseBase:
    """Return what the middleware of django-axes answers for a password that was not looked at: 429 with Retry-After."""
    problem = login_refusal(request)
    if problem is None or response.status_code == problem.status_code:
        return response
    if is_api_request(request):
        return problem_response(request, problem)
    # The sign-in page, whose form says it in words.
    response.status_code = problem.status_code
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def forget_attempts() -> None:
    """Forget wrong passwords of which nobody will ask any more."""
    old = AccessAttempt.objects.filter(attempt_time__lt=Now() - _KEPT).order_by()
    old._raw_delete(old.db)  # there may be very many, and nothing hangs on them


def _comparable(name: str) -> str:
    """The same for all spellings of the name that look alike, and never too long."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    # PostgreSQL stores neither NUL nor half a surrogate pair.
    storable = folded.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", storable)[:_LONGEST_NAME]


def _locked(request: CountedRequest, since: datetime) -> Problem:
    end = since + timedelta(seconds=settings.LOGIN_LOCKOUT_SECONDS)
    seconds = max(1, math.ceil((end - request.axes_attempt_time).total_seconds()))
    detail = (
        f"There were {settings.LOGIN_ATTEMPTS:,} wrong passwords for this user name from your address; "
        f"passwords are looked at again in {seconds:,} seconds."
    )
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, "LOGIN_LOCKED", detail, headers={"Retry-After": str(seconds)})
