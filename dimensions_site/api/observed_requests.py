"""What each request leaves in the log and in the figures, and what every refused access does.

Of the address only the pattern of its route is told, with the repository: ids are data of tenants, and callers put
secrets into query strings.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import structlog
from django.contrib.admindocs.views import simplify_regex
from django.dispatch import receiver
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject
from django_structlog.signals import (
    bind_extra_request_failed_metadata,
    bind_extra_request_finished_metadata,
    bind_extra_request_metadata,
    update_failure_response,
)

from dimensions_site.api.errors import as_problem, upper_snake
from dimensions_site.api.problems import shortened
from dimensions_site.telemetry import metrics
from dimensions_site.telemetry.observation import Observed, begin, current

log = structlog.get_logger(__name__)

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})
# Refusals that have another status: somebody looks for repositories, or brings a code or a token of OAuth2 that is not
# his, or was used before.
_REFUSALS = frozenset({"REPOSITORY_NOT_FOUND", "INVALID_GRANT", "UNAUTHORIZED_CLIENT"})
_SIGN_IN = "admin:login"
# In the figures: static files, and addresses that lead nowhere.
_NO_ROUTE = "none"


class ObservedRequest(Observed):
    """A request, from its arrival until the answer is complete."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__()
        self._request = request

    def names(self) -> dict[str, object]:
        """Who calls, from where, and what."""
        match = self._request.resolver_match
        db_id = match.kwargs.get("db_id") if match else None
        caller = self._caller
        return {
            "caller": caller,
            # Unless the view knows better.
            "mode": "session" if caller else None,
            "address": self._request.META.get("REMOTE_ADDR"),
            "method": self._request.method,
            "route": self._route,
            "repository": shortened(db_id) if db_id else None,
            "dimension": match.app_name if match and db_id else None,
            **super().names(),
        }

    def end(self, response: HttpResponseBase) -> None:
        """Count it; called once, when the answer is complete."""
        method = self._request.method if self._request.method in _METHODS else "other"
        route = self._route or _NO_ROUTE
        metrics.REQUESTS.labels(method, route, response.status_code).inc()
        metrics.DURATION.labels(method, route).observe(self.seconds)
        metrics.IN_PROGRESS.dec()
        if self.rows_read:
            metrics.ROWS_READ.labels(route).inc(self.rows_read)
        if self.rows_written:
            metrics.ROWS_WRITTEN.labels(route).inc(self.rows_written)

    def refusal(self, response: HttpResponseBase) -> str | None:
        """Why the access was refused, as a code in UPPER_SNAKE; None when it was not."""
        status = response.status_code
        if status in _REFUSED or self.code in _REFUSALS:
            return self.code or upper_snake(HTTPStatus(status).phrase)
        # The form for signing in comes once more: to those who have failed, and to those who may not enter.
        match = self._request.resolver_match
        is_shown = match is not None and match.view_name == _SIGN_IN and status == HTTPStatus.OK
        return "SIGN_IN_REFUSED" if is_shown and (self._request.method == "POST" or self._caller) else None

    @property
    def _route(self) -> str | None:
        match = self._request.resolver_match
        return _readable(match.route) if match else None

    @property
    def _caller(self) -> str | None:
        user = getattr(self._request, "user", None)
        if isinstance(user, SimpleLazyObject) and not hasattr(self._request, "_cached_user"):
            # Nobody has asked so far who reads the page; the database is not asked for the sake of the log.
            return None
        return user.get_username() or None if user else None


@lru_cache
def _readable(route: str) -> str:
    """The pattern of an address as people write it, also where it is a regular expression."""
    pattern: str = simplify_regex(route)
    return pattern


def observed_request() -> ObservedRequest | None:
    """The request that is being answered; None where its middleware does not stand."""
    found = current()
    return found if isinstance(found, ObservedRequest) else None


class _Pieces(Iterator[bytes]):
    """A streamed answer. Its request ends with it, also when the caller goes away before its end."""

    def __init__(self, pieces: Iterator[bytes], end: Callable[[], None]) -> None:
        self._pieces = pieces
        self._end = end
        self._is_begun = False
        self._is_over = False

    def __next__(self) -> bytes:
        self._is_begun = True
        try:
            return next(self._pieces)
        except BaseException:
            self._finish()
            raise

    def close(self) -> None:
        """End it, whether it was read or not."""
        if self._is_begun and not self._is_over:
            log.info("streaming_abandoned")
        self._finish()

    def _finish(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._end()


@receiver(bind_extra_request_metadata)
def begun(request: HttpRequest, log_kwargs: dict[str, Any], **_: object) -> None:
    """Observe the request from here on."""
    begin(ObservedRequest(request))
    metrics.IN_PROGRESS.inc()
    log_kwargs.clear()  # the address as it was sent


@receiver(bind_extra_request_failed_metadata)
def failed(exception: Exception, log_kwargs: dict[str, Any], **_: object) -> None:
    """Tell with which status the service fails: 503 when the database does not serve it, else 500."""
    log_kwargs.clear()
    log_kwargs["status"] = max(as_problem(exception).status_code, HTTPStatus.INTERNAL_SERVER_ERROR)


@receiver(bind_extra_request_finished_metadata)
def finished(response: HttpResponseBase, log_kwargs: dict[str, Any], **_: object) -> None:
    """Tell how the request ended, and why it was refused."""
    log_kwargs.clear()
    log_kwargs["status"] = response.status_code
    _end(response)


@receiver(update_failure_response)
def failure_answered(response: HttpResponseBase, **_: object) -> None:
    """Count the request on which the service failed."""
    _end(response)


def _end(response: HttpResponseBase) -> None:
    observed = observed_request()
    if observed is None:
        return
    code = observed.refusal(response)
    if code is not None:
        log.warning("access_refused", reason=code, status=response.status_code)
    if code is not None or (observed.code and response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR):
        metrics.REFUSALS.labels(code or observed.code).inc()
    if isinstance(response, StreamingHttpResponse):
        pieces: Any = response.streaming_content
        response.streaming_content = _Pieces(pieces, lambda: observed.end(response))
    else:
        observed.end(response)
