"""Addresses beside the REST API that anybody may read (contract H3)."""

from collections.abc import Callable
from functools import wraps
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse

from dimensions_site.api.errors import Problem, problem_response

View: TypeAlias = Callable[[HttpRequest], HttpResponse]


def read_only(view: View) -> View:
    """Let `view` answer GET and HEAD, and answer 405 to anything else."""

    @wraps(view)
    def checked(request: HttpRequest) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request)
        detail = "Only GET and HEAD are permitted here."
        return problem_response(request, Problem(405, "METHOD_NOT_ALLOWED", detail, headers={"Allow": "GET, HEAD"}))

    return checked
