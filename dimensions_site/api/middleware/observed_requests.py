"""Log lines and metrics of each request, and of each refused access.

Of the URL only the route pattern and the repository are recorded: ids are tenant data, and clients put secrets into
query strings.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
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
from dimensions_site.api.failures import CLIENT_CLOSED_REQUEST
from dimensions_site.observability import metrics
from dimensions_site.observability.observation import Observed, begin_observation, current_observation
from dimensions_site.text.formats import shortened

log = structlog.get_logger(__name__)

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})
# Refusals with another status: probing for repositories, and OAuth2 codes or tokens that were used before or belong to
# another application.
_REFUSALS = frozenset({"REPOSITORY_NOT_FOUND", "INVALID_GRANT", "UNAUTHORIZED_CLIENT"})
_SIGN_IN = "sign-in"
# The metrics label for static files and unknown addresses.
_NO_ROUTE = "none"


class ObservedRequest(Observed):
    """A request, from its arrival until the response is complete."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__()
        self._request = request
        self._has_ended = False

    def names(self) -> dict[str, object]:
        match = self._request.resolver_match
        db_id = match.kwargs.get("db_id") if match else None
        user = self._user
        return {
            "user": user,
            # Views of the API set the mode of authentication.
            "mode": "session" if user else None,
            "address": self._request.META.get("REMOTE_ADDR"),
            "method": self._request.method,
            "route": self._route,
            "repository": shortened(db_id) if db_id else None,
            "dimension": match.app_name if match and db_id else None,
            **super().names(),
        }

    def end(self, response: HttpResponseBase) -> None:
        """Record the metrics of the completed request, once."""
        if self._has_ended:
            return
        self._has_ended = True
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
        """Return the reason for which access was refused, in UPPER_SNAKE; None if it was not."""
        status = response.status_code
        if status in _REFUSED or self.code in _REFUSALS:
            return self.code or upper_snake(HTTPStatus(status).phrase)
        # The login form is shown again after a failed login, and to signed-in users without access.
        match = self._request.resolver_match
        is_shown = match is not None and match.view_name == _SIGN_IN and status == HTTPStatus.OK
        return "SIGN_IN_REFUSED" if is_shown and (self._request.method == "POST" or self._user) else None

    @property
    def _route(self) -> str | None:
        match = self._request.resolver_match
        return _readable(match.route) if match else None

    @property
    def _user(self) -> str | None:
        user = getattr(self._request, "user", None)
        if isinstance(user, SimpleLazyObject) and not hasattr(self._request, "_cached_user"):
            # The view did not load the user; do not query the database only for the log.
            return None
        return user.get_username() or None if user else None


@lru_cache
def _readable(route: str) -> str:
    """Return the pattern of a route as in URLs, also if it is a regular expression."""
    pattern: str = simplify_regex(route)
    return pattern


def _watched(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a streamed response; log that the client disconnected before their end."""
    try:
        yield from pieces
    except GeneratorExit:
        log.info("streaming_abandoned")
        raise


@receiver(bind_extra_request_metadata)
def begin_request(request: HttpRequest, log_kwargs: dict[str, Any], **_: object) -> None:
    """Start to observe the request."""
    begin_observation(ObservedRequest(request))
    metrics.IN_PROGRESS.inc()
    log_kwargs.clear()  # the full URL


@receiver(bind_extra_request_failed_metadata)
def log_failure(exception: Exception, log_kwargs: dict[str, Any], **_: object) -> None:
    """Log the status of a failed request: 503 if the database is unavailable, else 500."""
    log_kwargs.clear()
    status = as_problem(exception).status_code
    log_kwargs["status"] = status if status == CLIENT_CLOSED_REQUEST else max(status, HTTPStatus.INTERNAL_SERVER_ERROR)


@receiver(bind_extra_request_finished_metadata)
def log_response(response: HttpResponseBase, log_kwargs: dict[str, Any], **_: object) -> None:
    """Log the status of the response, and the reason of a refusal."""
    log_kwargs.clear()
    log_kwargs["status"] = response.status_code
    _end(response)


@receiver(update_failure_response)
def failure_answered(response: HttpResponseBase, **_: object) -> None:
    """Record a request that failed."""
    _end(response)


def _end(response: HttpResponseBase) -> None:
    observed = current_observation()
    if not isinstance(observed, ObservedRequest):
        return
    code = observed.refusal(response)
    if code is not None:
        log.warning("access_refused", reason=code, status=response.status_code)
    if code is not None or (observed.code and response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR):
        metrics.REFUSALS.labels(code or observed.code).inc()
    if isinstance(response, StreamingHttpResponse):
        streamed: Any = response
        streamed.streaming_content = _watched(streamed.streaming_content)
        # The server closes every response, also one whose stream it has never begun.
        streamed._resource_closers.append(partial(observed.end, response))
    else:
        observed.end(response)
