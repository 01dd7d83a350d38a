"""Where every password is checked: HTTP Basic, the token end points and the administration (contract G1)."""

from typing import Any, cast

from axes.backends import AxesBackend
from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from dimensions_site.repositories.guesses import CountedRequest, GuessHandler


class PasswordBackend(AxesBackend):
    """Looks at no password when too many were wrong before, and forgets the wrong ones when one is right."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        """Return the user whose password it is, if he is active; raises PermissionDenied before anything is computed.

        Django tells `user_login_failed` of both failures.
        """
        super().authenticate(request, username=username, password=password, **kwargs)  # demands a request
        user = ModelBackend.authenticate(self, request, username, password, **kwargs)
        if user is not None:
            handler = cast(GuessHandler, AxesProxyHandler.get_implementation())
            handler.forget(cast(CountedRequest, request), {"username": username})
        return user
