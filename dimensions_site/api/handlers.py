"""What Django answers when no view does: problem documents for programs, small HTML pages for people (contract B1).

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
from dimensions_site.api.prefixes import is_api_request
from dimensions_site.api.problems import shortened

log = structlog.get_logger(__name__)


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django refuses as malformed or unsafe: 400, or 413 for a body beyond the limit.

    Of what our own code refuses the log tells why, without the stack trace that Django would write.
    """
    if type(exception) is SuspiciousOperation:
        log.warning("request_not_understood", reason=shortened(str(exception)))
    if not is_api_request(request):
        return defaults.bad_request(request, exception)
    problem = as_problem(exception)
    if problem.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # Of the exceptions that bring Django here, the API itself knows only those that its views can meet.
        problem = Problem(400, "INVALID_REQUEST", "The request is malformed.")
    return problem_response(request, problem)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that is not permitted: 403."""
    if not is_api_request(request):
        return defaults.permission_denied(request, exception)
    return problem_response(request, as_problem(exception))


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request for an address that leads nowhere: 404."""
    if not is_api_request(request):
        return defaults.page_not_found(request, exception)
    return problem_response(request, as_problem(exception))


def handler500(request: HttpRequest) -> HttpResponse:
    """Answer a request on which the service failed: 500, or 503 when the database cannot serve it now.

    Nothing of the exception is told; Django calls this while it handles one, and has logged it.
    """
    exception = sys.exception()
    problem = as_problem(exception if isinstance(exception, Exception) else Exception())
    if is_api_request(request):
        return problem_response(request, problem)
    if problem.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        # Without the request, so that nothing of the page asks the database once more.
        return HttpResponse(render_to_string("503.html"), status=problem.status_code, headers=problem.headers)
    return defaults.server_error(request)
