"""What a request is told whose password is not even looked at, because too many wrong ones came before (contract G1).

Whoever refuses it leaves the refusal here; whoever answers takes it: REST, the token end points, the sign-in page.
"""

from typing import cast

from django.http import HttpRequest

from dimensions_site.api.errors import Problem

_REFUSAL = "dimensions.login_refusal"


class GuessedRequest(HttpRequest):
    """A request as django-axes sees it, with which it marks what it refuses."""

    axes_locked_out: bool


def refuse_login(request: HttpRequest, problem: Problem) -> None:
    """Leave the 429 with the request, and have the middleware of django-axes answer it wherever nobody else does."""
    cast(GuessedRequest, request).axes_locked_out = True
    request.META[_REFUSAL] = problem


def login_refusal(request: HttpRequest) -> Problem | None:
    """Return the 429 that was left with the request."""
    problem: Problem | None = request.META.get(_REFUSAL)
    return problem
