"""Errors as clients see them: problem details of RFC 9457, raised anywhere and rendered here (contract B1)."""

import errno
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    NON_FIELD_ERRORS,
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from psycopg.errors import ReadOnlySqlTransaction
from rest_framework import exceptions
from rest_framework.fields import get_error_detail
from rest_framework.settings import api_settings

from dimensions_site.api.failures import (
    CLIENT_CLOSED_REQUEST,
    MAX_COUNTED,
    MEDIA_TYPE,
    JoinPath,
    problem_body,
    wire_path,
)
from dimensions_site.api.failures import MAX_FAILURES as MAX_FAILURES
from dimensions_site.api.failures import Failure as Failure
from dimensions_site.api.failures import quoted as quoted
from dimensions_site.db.read_limits import CancelReason, is_cancellation, reads_ended_by
from dimensions_site.observability.observation import current_observation
from dimensions_site.text.formats import shortened

# The keys under which REST framework and Django report errors of an object as a whole.
_WHOLE_OBJECT = {api_settings.NON_FIELD_ERRORS_KEY, NON_FIELD_ERRORS}
# Paths show at most this many characters of a name.
_LONGEST_KEY = 200


class Problem(exceptions.APIException):
    """An error response with its body and headers (contract B1).

    `failure_count` is the number of errors found, if `failures` holds only the first of them.
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
        errors = [failure.as_json() for failure in self.failures[:MAX_FAILURES]]
        return problem_body(self.status_code, self.code, str(self.detail), request_id, errors, self.failure_count)


def bad_request(failures: Sequence[Failure], failure_count: int | None = None) -> Problem:
    """Return the 400 for `failures`; a single failure provides the code and message of the whole. Contract B1."""
    count = len(failures) if failure_count is None else failure_count
    if count == 1:
        return Problem(400, failures[0].code, failures[0].message, failures)
    return Problem(400, "INVALID_REQUEST", _summary(count), failures, failure_count=count)


def check_all(failures: Sequence[Failure], *readers: Callable[[], Any]) -> list[Any]:
    """Return what the `readers` return. Raises 400 with all the `failures` and those that the readers raise.

    Without any, it raises the first of the other problems of the readers.
    """
    values, problems = [], []
    for read in readers:
        try:
            values.append(read())
        except exceptions.APIException as error:
            problems.append(as_problem(error))
    wrong = [problem for problem in problems if problem.status_code == HTTPStatus.BAD_REQUEST]
    found = [*failures, *(failure for problem in wrong for failure in problem.failures)]
    if found:
        raise bad_request(found, len(failures) + sum(problem.failure_count for problem in wrong))
    if problems:
        raise problems[0]
    return values


def _summary(count: int) -> str:
    if count <= MAX_FAILURES:
        return f"The request has {count:,} errors; each is listed in `errors`."
    number = f"{count:,}" if count <= MAX_COUNTED else f"at least {MAX_COUNTED:,}"
    return f"The request has {number} errors; the first {MAX_FAILURES:,} are listed in `errors`."


def not_found(code: str, detail: str) -> Problem:
    """Return the 404 with this code and detail."""
    return Problem(404, code, detail)


def forbidden(code: str, detail: str, headers: Mapping[str, str] | None = None) -> Problem:
    """Return the 403 with this code and detail."""
    return Problem(403, code, detail, headers=headers)


def too_many_requests(code: str, detail: str, seconds: int) -> Problem:
    """Return the 429 with this code and detail, and the seconds until the client may retry."""
    return Problem(429, code, detail, headers={"Retry-After": str(seconds)})


def flatten(detail: object, prefix: str = "", join: JoinPath = wire_path) -> list[Failure]:
    """Return the failures in the nested `detail` of REST framework's ValidationError, in its order.

    Keys and list positions are appended to `prefix` by `join`: `a.b.c`, `a.0.b`. An error of an object as a whole has
    the path of the object. Contract B1.
    """
    return list(_failures(detail, prefix, join))


def _failures(detail: object, path: str, join: JoinPath) -> Iterator[Failure]:
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            yield from _failures(
                value, path if key in _WHOLE_OBJECT else join(path, shortened(str(key), _LONGEST_KEY)), join
            )
    elif isinstance(detail, list | tuple):
        for position, item in enumerate(detail):
            yield from _failures(item, path if isinstance(item, str) else join(path, position), join)
    else:
        yield Failure(path, upper_snake(getattr(detail, "code", None) or "invalid"), str(detail))


def upper_snake(code: str) -> str:
    """Return an error code of REST framework or Django in the spelling of contract B1: `max_length` -> `MAX_LENGTH`."""
    return re.sub(r"[^A-Za-z0-9]+", "_", code).upper()


def problem_response(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Return `problem` as the response to `request`: always `application/problem+json`, whatever Accept says."""
    # The middleware `standard_headers` has replaced a missing or invalid id.
    text = json.dumps(problem.body(request.META.get("HTTP_X_REQUEST_ID")), ensure_ascii=False)
    if observed := current_observation():
        observed.code = problem.code
    # A message may quote a lone surrogate, which no encoding can carry.
    content = text.encode("utf-8", "replace")
    return HttpResponse(content, content_type=MEDIA_TYPE, status=problem.status_code, headers=problem.headers)


# Django's exceptions with status, code and detail of the response. The first match applies.
_DJANGO_EXCEPTIONS: Sequence[tuple[type[Exception], int, str, str]] = (
    (Http404, 404, "NOT_FOUND", "There is nothing at this address."),
    (PermissionDenied, 403, "PERMISSION_DENIED", "You are not permitted to do this."),
    (RequestDataTooBig, 413, "BODY_TOO_LARGE", "The body of the request is larger than this service accepts."),
    (TooManyFieldsSent, 400, "TOO_MANY_PARAMETERS", "The query string holds more parameters than are accepted."),
    (DisallowedHost, 400, "DISALLOWED_HOST", "The service does not answer for the host in the Host header."),
    (SuspiciousOperation, 400, "INVALID_REQUEST", "The service cannot safely answer this request."),
    (UnreadablePostError, 400, "INCOMPLETE_BODY", "The body of the request is malformed or incomplete."),
)


def client_closed() -> Problem:
    """Return the error for a request whose client has closed the connection; nobody gets it."""
    detail = "The client closed the connection before the answer."
    return Problem(CLIENT_CLOSED_REQUEST, "CLIENT_CLOSED_REQUEST", detail)


def _cancelled(end: CancelReason) -> Problem:
    if end is CancelReason.CLIENT:
        return client_closed()
    if end is CancelReason.CROWD:
        detail = "Other long-running requests are reading this repository. Try again in a few seconds."
        return Problem(503, "TOO_MANY_LONG_READS", detail, headers={"Retry-After": "5"})
    detail = (
        f"The database worked on this request for {settings.READ_TIMEOUT_SECONDS} seconds and was stopped. Ask "
        "for less: fewer conditions in the filter, one language instead of all, a part of the ids, or another sort."
    )
    return Problem(503, "QUERY_TIMEOUT", detail)


def as_problem(exc: Exception) -> Problem:
    """Return the error that reports `exc` to the client; an unexpected exception reveals nothing of itself."""
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
        case OperationalError() if is_cancellation(exc) and (end := reads_ended_by()):
            return _cancelled(end)
        case OperationalError() | InterfaceError() | DatabaseError(__cause__=ReadOnlySqlTransaction()):
            # The database is stopped, full or a standby, or other writers hold its locks beyond the timeout.
            detail = "The database cannot serve this request now. Try again in a few seconds."
            return Problem(503, "DATABASE_UNAVAILABLE", detail, headers={"Retry-After": "5"})
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            detail = "The service has no space left for this request. Try again in a few seconds."
            return Problem(503, "STORAGE_FULL", detail, headers={"Retry-After": "5"})
    for kind, status, code, detail in _DJANGO_EXCEPTIONS:
        if isinstance(exc, kind):
            return Problem(status, code, detail)
    return Problem(500, "INTERNAL_ERROR", "The service failed to answer; its log says why.")
