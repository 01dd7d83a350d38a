"""The error responses outside of views: problem documents for programs, small HTML pages for people (contract B1).

`urls.py` names these functions as `handler400` to `handler500`.
"""

import sys
from http import HTTPStatus

import structlog
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from dimensions_site.api.errors import Problem, as_problem, problem_response
from dimensions_site.api.failures import CLIENT_CLOSED_REQUEST, MEDIA_TYPE
from dimensions_site.api.middleware.addresses import is_api_request
from dimensions_site.api.routes import near_paths
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import did_you_mean

log = structlog.get_logger(__name__)


def is_for_program(request: HttpRequest) -> bool:
    """Return whether an error is for a program: at an address of the API, or by an `Accept` that prefers JSON (B3)."""
    kinds = ["text/html", "application/json", MEDIA_TYPE]
    return is_api_request(request) or request.get_preferred_type(kinds) in kinds[1:]


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 400 for a request that Django rejects as malformed or unsafe; 413 for a body beyond the limit.

    An error raised by this project is logged with its reason, without the stack trace that Django would write.
    """
    if type(exception) is SuspiciousOperation:
        log.warning("malformed_request", reason=shortened(str(exception)))
    if not is_for_program(request):
        return defaults.bad_request(request, exception)
    problem = as_problem(exception)
    if problem.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # Some exceptions that Django handles as 400 are unknown to the API, whose views cannot raise them.
        problem = Problem(400, "INVALID_REQUEST", "The request is malformed.")
    return problem_response(request, problem)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 403 for a request that is not permitted."""
    if not is_for_program(request):
        return defaults.permission_denied(request, exception)
    return problem_response(request, as_problem(exception))


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 for an unknown address."""
    if not is_for_program(request):
        return defaults.page_not_found(request, exception)
    slash = " Paths of this service do not end with a slash." if request.path.endswith("/") else ""
    detail = f"There is nothing at {shortened(request.path)}.{slash or did_you_mean(near_paths(request))}"
    return problem_response(request, Problem(404, "NOT_FOUND", detail))


def handler500(request: HttpRequest) -> HttpResponse:
    """Return the 500 for an unexpected exception; 503 while the database is unavailable.

    The response reveals nothing of the exception. Django calls this while it handles the exception, and has logged it.
    """
    exception = sys.exception()
    problem = as_problem(exception if isinstance(exception, Exception) else Exception())
    if is_for_program(request):
        return problem_response(request, problem)
    if problem.status_code in (HTTPStatus.SERVICE_UNAVAILABLE, CLIENT_CLOSED_REQUEST):
        # Rendered without the request, so that no context processor queries the database again.
        page = render_to_string("503.html", {"code": problem.code})
        return HttpResponse(page, status=problem.status_code, headers=problem.headers)
    return defaults.server_error(request)
