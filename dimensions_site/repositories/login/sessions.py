"""Sessions of the administration end when they are idle, and some hours after the login in any case.

The database rejects a session after its `expire_date`, which is extended while pages are opened. It is written every
few minutes only, so that a page does not cost a write.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from dimensions_site.api.middleware.requests import GetResponse

# Session keys for the login and the last extension, in seconds since 1970.
_BEGAN, _RENEWED = "session_began", "session_renewed"
_LONGEST_PAUSE = 5 * 60


@receiver(user_logged_in)
def begin(request: HttpRequest, **_: Any) -> None:
    """Set the end of a new session according to the settings."""
    request.session[_BEGAN] = _now()
    _renew(request.session)


def extend_sessions(get_response: GetResponse) -> GetResponse:
    """Extend the session while its user opens pages."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session: SessionBase | None = getattr(request, "session", None)
        # A page that did not read the session is the same for everybody; keep it cacheable.
        if session is not None and session.accessed and SESSION_KEY in session and _is_due(session):
            _renew(session)
        return response

    return middleware


def _is_due(session: SessionBase) -> bool:
    pause = min(_LONGEST_PAUSE, settings.SESSION_IDLE_MINUTES * 6)  # a tenth of the limit
    renewed: int = session.get(_RENEWED, 0)
    return _now() - renewed >= pause


def _renew(session: SessionBase) -> None:
    now = _now()
    session[_RENEWED] = now
    end = min(now + settings.SESSION_IDLE_MINUTES * 60, session[_BEGAN] + settings.SESSION_HOURS * 3600)
    # A moment, not a duration: saving other session data does not extend it.
    session.set_expiry(timezone.now() + timedelta(seconds=end - now))


def _now() -> int:
    return int(timezone.now().timestamp())
