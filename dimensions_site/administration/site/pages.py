"""Middleware for HTML pages only: sessions, messages and the like.

REST clients send no cookies that matter and get no scripts, and reading one element is so fast that each of these would
slow it down noticeably.
"""

from typing import Any

from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

from dimensions_site.api.middleware.addresses import is_api_request


class _OfPages(MiddlewareMixin):
    """Precedes a middleware class, and skips it for API requests."""

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request) if is_api_request(request) else super().__call__(request)


class Content(_OfPages, CSPMiddleware):
    """The content security policy of a page."""


class Session(_OfPages, SessionMiddleware):
    """The user's session."""


class Users(_OfPages, AuthenticationMiddleware):
    """`request.user`; REST views authenticate clients themselves."""


class Messages(_OfPages, MessageMiddleware):
    """The messages on the next page."""
