"""Errors as callers see them: problem details of RFC 9457, raised anywhere and rendered here (contract B1)."""

import errno
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import (
    NON_FIELD_ERRORS,
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.signals import got_request_exception
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from psycopg.errors import ReadOnlySqlTransaction
from rest_framework import exceptions
from rest_framework.fields import get_error_detail
from rest_framework.request import Request
from rest_framework.settings import api_settings

from dimensions_site.api.paths import JoinPath, wire_path
from dimensions_site.api.problems import MEDIA_TYPE, problem_body, shortened
from dimensions_site.telemetry.observation import current

if TYPE_CHECKING:
    # REST framework's views import the parsers, and those import this module.
    from rest_framework.views import APIView

# How REST framework and Django name what concerns an object as a whole.
_WHOLE_OBJECT = {api_settings.NON_FIELD_ERRORS_KEY, NON_FIELD_ERRORS}
MAX_FAILURES = 1_000


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong with a request.

    `path` is the wire path of the field (in a bulk body a JSON Pointer; empty for the body as a whole),
    `code` is UPPER_SNAKE, `message` a sentence for people, `id` the element's id where it is known.
    """

    path: str
    code: str
    message: str
    id: str | None = None

    def as_json(self) -> dict[str, str]:
        """Return the failure as it stands in `errors`."""
        entry = {"path": self.path, "code": self.code, "message": self.message}
        return entry if self.id is None else {"id": self.id} | entry


class Problem(exceptions.APIException):
    """A refusal with everything its body and headers say (contract B1).

    `failure_count` is the true number of failures when the caller holds only the first of them.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        failures: Sequence[Failure] = (),
        headers: Mapping[str, str] | None = None,
        failure_count: int | None = None,
    ) -> None:
        super().__init__(detail, code)
        self.status_code = status
        self.code = code
        self.failures = tuple(failures)
        self.headers = dict(headers or {})
        self.failure_count = len(self.failures) if failure_count is None else failure_count

    def body(self, request_id: str | None) -> dict[str, object]:
        """Return the body for the request with that id."""
        errors = [failure.as_json() for failure in self.failures[:MAX_FAILURES]]
        return problem_body(self.status_code, self.code, str(self.detail), request_id, errors, self.failure_count)


def bad_request(failures: Sequence[Failure], failure_count: int | None = None) -> Problem:
    """Return the 400 for `failures`; a single failure lends its code and message to the whole. Contract B1."""
    count = len(failures) if failure_count is None else failure_count
    if count == 1:
        return Problem(400, failures[0].code, failures[0].message, failures)
    detail = f"The request has {count:,} errors; each is listed in `errors`."
    return Problem(400, "INVALID_REQUEST", detail, failures, failure_count=count)


def not_found(code: str, detail: str) -> Problem:
    """Return the 404 with that code and sentence."""
    return Problem(404, code, detail)


def forbidden(code: str, detail: str, headers: Mapping[str, str] | None = None) -> Problem:
    """Return the 403 with that code and sentence."""
    return Problem(403, code, detail, headers=headers)


def quoted(text: str) -> str:
    """Return `text` in quotes for a message, cut when it is long."""
    return f'"{shortened(text)}"'


def flatten(detail: object, prefix: str = "", join: JoinPath = wire_path) -> list[Failure]:
    """Return the failures in the nested `detail` of REST framework's ValidationError, in its order.

    Keys and list positions are appended to `prefix` by `join`: `a.b.c`, `a.0.b`. What concerns an object as a
    whole stands at the object itself. Contract B1.
    """
    return list(_failures(detail, prefix, join))


def _failures(detail: object, path: str, join: JoinPath) -> Iterator[Failure]:
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            yield from _failures(value, path if key in _WHOLE_OBJECT else join(path, key), join)
    elif isinstance(detail, list | tuple):
        for position, item in enumerate(detail):
            yield from _failures(item, path if isinstance(item, str) else join(path, position), join)
    else:
        yield Failure(path, upper_snake(getattr(detail, "code", None) or "invalid"), str(detail))


def upper_snake(code: str) -> str:
    """Return an error code of REST framework or Django in the spelling of contract B1: `max_length` -> `MAX_LENGTH`."""
    return re.sub(r"[^A-Za-z0-9]+", "_", code).upper()


def problem_response(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Return `problem` as the response to `request`, always `application/problem+json` whatever Accept says."""
    # The middleware `request_id` has put an id of its own there when the caller's was missing or not sane.
    text = json.dumps(problem.body(request.META.get("HTTP_X_REQUEST_ID")), ensure_ascii=False)
    if observed := current():
        observed.code = problem.code
    # A message may quote a lone surrogate, which no encoding can carry.
    content = text.encode("utf-8", "replace")
    return HttpResponse(content, content_type=MEDIA_TYPE, status=problem.status_code, headers=problem.headers)


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Answer any exception of a REST framework view (contracts B1, B2, B3)."""
    request: Request = context["request"]
    problem = as_problem(exc)
    if isinstance(exc, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        problem = Problem(401, problem.code, str(problem.detail), headers=_challenges(request, context["view"]))
    if problem.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # The signal makes the log line with the traceback, as for an exception outside REST framework.
        got_request_exception.send(sender=None, request=request._request)
    return problem_response(request, problem)


def _challenges(request: Request, view: "APIView") -> dict[str, str]:
    offered = (authenticator.authenticate_header(request) for authenticator in view.get_authenticators())
    # The two modes with bearer tokens have one challenge in common.
    challenges = ", ".join(dict.fromkeys(challenge for challenge in offered if challenge))
    return {"WWW-Authenticate": challenges} if challenges else {}


# Exceptions of Django with the status, the code and the sentence that callers get. The first that fits counts.
_DJANGO_EXCEPTIONS: Sequence[tuple[type[Exception], int, str, str]] = (
    (Http404, 404, "NOT_FOUND", "Nothing is found at this address."),
    (PermissionDenied, 403, "PERMISSION_DENIED", "You are not permitted to do this."),
    (RequestDataTooBig, 413, "BODY_TOO_LARGE", "The body of the request is larger than this service accepts."),
    (TooManyFieldsSent, 400, "TOO_MANY_PARAMETERS", "The query string holds more parameters than are accepted."),
    (DisallowedHost, 400, "DISALLOWED_HOST", "The service does not answer for the host in the Host header."),
    (SuspiciousOperation, 400, "INVALID_REQUEST", "The request is not one that this service can safely answer."),
    (UnreadablePostError, 400, "INCOMPLETE_BODY", "The body of the request is malformed or did not arrive whole."),
)


def as_problem(exc: Exception) -> Problem:
    """Return what the caller is told about `exc`; of an unexpected exception nothing but that it happened."""
    match exc:
        case Problem():
            return exc
        case exceptions.ValidationError():
            return bad_request(flatten(exc.detail))
        case exceptions.APIException():
            wait = getattr(exc, "wait", None)
            headers = {"Retry-After": str(wait)} if wait else {}
            code = getattr(exc.detail, "code", exc.default_code)
            return Problem(exc.status_code, upper_snake(code), str(exc.detail), headers=headers)
        case DjangoValidationError():
            return bad_request(flatten(get_error_detail(exc)))
        case OperationalError() | InterfaceError() | DatabaseError(__cause__=ReadOnlySqlTransaction()):
            # The database is stopped, full or a standby, or other writers hold it for longer than anybody waits.
            detail = "The database cannot serve this request now. Try again in some seconds."
            return Problem(503, "DATABASE_UNAVAILABLE", detail, headers={"Retry-After": "5"})
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            detail = "The service has no room left for what this request needs. Try again in some seconds."
            return Problem(503, "STORAGE_FULL", detail, headers={"Retry-After": "5"})
    for kind, status, code, detail in _DJANGO_EXCEPTIONS:
        if isinstance(exc, kind):
            return Problem(status, code, detail)
    return Problem(500, "INTERNAL_ERROR", "The service failed to answer; its log says why.")
