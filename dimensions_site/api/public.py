"""Addresses beside the REST API that anybody may read (contract H3)."""

from collections.abc import Callable
from functools import wraps
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from dimensions_site.api.errors import Problem, problem_response

View: TypeAlias = Callable[[HttpRequest], HttpResponse]


_ALLOW = {"Allow": "GET, HEAD, OPTIONS"}


def read_only(view: View) -> View:
    """Let `view` answer GET and HEAD, tell that to OPTIONS, and answer 405 to anything else (contract A4)."""

    @csrf_exempt  # nothing is changed here, and the check would answer 403 before this does 405
    @wraps(view)
    def checked(request: HttpRequest) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request)
        if request.method == "OPTIONS":
            return HttpResponse(headers=_ALLOW, content_type="text/plain")
        detail = "Only GET and HEAD are permitted here."
        return problem_response(request, Problem(405, "METHOD_NOT_ALLOWED", detail, headers=_ALLOW))

    return checked
