"""Error responses, and what answers addresses without a page of their own: lists of the paths below (contract B1).

Programs get problem documents, people small HTML pages. `urls.py` names the functions `handler400` to `handler500`.
"""

import sys
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

import structlog
from django.contrib.admindocs.views import simplify_regex
from django.core.exceptions import SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import URLResolver, get_resolver
from django.views import defaults
from django.views.decorators.vary import vary_on_headers
from rest_framework import exceptions
from rest_framework.request import Request

from dimensions_site.api.access.one_credential import challenges
from dimensions_site.api.errors import Problem, as_problem, problem_response
from dimensions_site.api.failures import CLIENT_CLOSED_REQUEST, MEDIA_TYPE
from dimensions_site.api.middleware.addresses import API_PREFIXES, is_api_request
from dimensions_site.api.views import View, read_only
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import close_names, did_you_mean

log = structlog.get_logger(__name__)


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Return the response to any exception of a REST framework view (contracts B1, B2, B3)."""
    request: Request = context["request"]
    problem = as_problem(exc)
    if isinstance(exc, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        found = ", ".join(challenges(request))
        headers = {"WWW-Authenticate": found} if found else {}
        problem = Problem(401, problem.code, str(problem.detail), headers=headers)
    if problem.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # The signal writes the log line with the traceback, as for an exception outside REST framework.
        got_request_exception.send(sender=None, request=request._request)
    return problem_response(request, problem)


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


def near_paths(request: HttpRequest) -> list[str]:
    """Return the paths of the API that differ from the unknown one of the `request` in one name, and look like it."""
    sent = request.path_info.split("/")
    known: dict[int, dict[str, None]] = {}
    for route in (path.split("/") for path in routes(get_resolver())):
        if len(route) == len(sent):
            wrong = [at for at, name in enumerate(route) if not name.startswith("<") and name != sent[at]]
            if len(wrong) == 1:
                known.setdefault(wrong[0], {})[route[wrong[0]]] = None
    near = ((at, name) for at, names in known.items() for name in close_names(sent[at], tuple(names)))
    prefix = request.path.removesuffix(request.path_info)
    return [shortened(prefix + "/".join([*sent[:at], name, *sent[at + 1 :]])) for at, name in near]


def listing(page: View) -> View:
    """Return a view of the paths below its own: as JSON, or for browsers the `page` (contract B3)."""

    def view(request: HttpRequest) -> HttpResponse:
        if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
            return page(request)
        below = f"{request.path_info}/"
        found = [path for path in routes(get_resolver()) if path.startswith(below) and "<" not in path]
        return JsonResponse({"paths": [request.path.removesuffix(request.path_info) + path for path in found]})

    return vary_on_headers("Accept")(read_only(view))


@cache
def routes(resolver: URLResolver, prefix: str = "/") -> list[str]:
    """Return every path of the API; `<…>` stands for any text."""
    found = []
    for pattern in resolver.url_patterns:
        path = prefix + simplify_regex(str(pattern.pattern)).lstrip("/")
        if isinstance(pattern, URLResolver):
            found += routes(pattern, path)
        elif path.startswith((*API_PREFIXES, "/docs/")):
            found.append(path)
    return found
