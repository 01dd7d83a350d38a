"""The rate limit for pages of the administration."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from dimensions_site.administration.site.languages import ADMINISTRATION
from dimensions_site.api.access.throttling import count_page
from dimensions_site.api.errors import Problem
from dimensions_site.db.read_limits import own_reads
from dimensions_site.observability.observation import current

# Pages request these themselves, to poll the progress of a job and to load texts; they cost little.
_ASKED_BY_PAGES = ("_progress", "jsi18n")


class AdministrationRate(MiddlewareMixin):
    """Responds with 429 beyond THROTTLE_ADMIN: a search, an export or an upload may cost as much as any API call."""

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Count the page, and what it reads, for the signed-in user; the login page has limits of its own."""
        match = request.resolver_match
        if match is None or not request.path_info.startswith(f"/{ADMINISTRATION}") or request.user.pk is None:
            return None
        # Not for the session: a user may have any number of them.
        own_reads(f"user {request.user.pk}")
        if settings.THROTTLE_ADMIN is None or (match.url_name or "").endswith(_ASKED_BY_PAGES):
            return None
        problem = count_page(str(request.user.pk))
        return None if problem is None else _refusal(problem)


def _refusal(problem: Problem) -> HttpResponse:
    if observed := current():
        observed.code = problem.code
    content = render_to_string("429.html", {"seconds": int(problem.headers["Retry-After"])})
    return HttpResponse(content, status=HTTPStatus.TOO_MANY_REQUESTS, headers=problem.headers)
