"""Middleware that only pages for people need: sessions, messages and the like.

Programs that call REST send no cookies that count and get no scripts, and a single element is answered so quickly that
each of these would be seen in the time that it takes.
"""

from typing import Any

from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest

from dimensions_site.api.prefixes import is_api_request


class _OfPages:
    """Stands before a class of middleware, and passes by what programs ask."""

    def __call__(self, request: HttpRequest) -> Any:
        if is_api_request(request):
            return self.get_response(request)  # type: ignore[attr-defined]
        return super().__call__(request)  # type: ignore[misc]


class Content(_OfPages, CSPMiddleware):
    """What a page may load."""


class Session(_OfPages, SessionMiddleware):
    """Who is logged in by a cookie."""


class Users(_OfPages, AuthenticationMiddleware):
    """`request.user`; views of REST find their caller themselves."""


class Messages(_OfPages, MessageMiddleware):
    """What is told on the next page."""
