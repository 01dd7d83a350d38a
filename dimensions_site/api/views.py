"""The conventions that every view of the REST API keeps (contracts A4, A6, A7)."""

from collections.abc import Sequence
from difflib import get_close_matches
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dimensions_site.api import percent_encoding
from dimensions_site.api.authentication_modes import mode_of
from dimensions_site.api.errors import Failure, Problem, bad_request, not_found, quoted
from dimensions_site.api.negotiation import HeaderNegotiation
from dimensions_site.api.problems import shortened
from dimensions_site.api.throttling import count_refusal
from dimensions_site.telemetry.observation import current

_METHODS_WITH_BODY = ("POST", "PUT", "PATCH")


class ConventionsMixin(APIView):
    """Refuses what must be refused, in the order of contract A6, before the handler of the method runs.

    Stands before REST framework's own class: `class ElementList(ConventionsMixin, ViewSet)`.
    """

    content_negotiation_class = HeaderNegotiation

    def identify(self, request: Request) -> None:
        """Find out who the caller is: raise `NotAuthenticated` or `AuthenticationFailed` when that is not shown.

        Raises Problem 429 in their place when too many credentials from the caller's address were refused.
        """
        try:
            self.perform_authentication(request)
        except AuthenticationFailed:
            if problem := count_refusal(request._request):
                raise problem from None
            raise
        if not request.user.is_authenticated:
            raise NotAuthenticated
        if observed := current():
            observed.name(mode=mode_of(request.successful_authenticator))

    def resolve_scope(self) -> None:
        """Find what the path addresses and see whether the caller may: raise Problem 404 or 403 when not."""

    def allowed_query_parameters(self) -> frozenset[str] | None:
        """Return the query parameters that this view reads; None: whatever is sent is ignored. Contract A7."""
        return frozenset()

    def further_failures(self) -> Sequence[Failure]:
        """Return what is wrong with the values of the query parameters, beside their names. Contract B1."""
        return ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise the first refusal that applies, as NotAuthenticated or Problem. Contract A6."""
        self.format_kwarg = None
        self.identify(request)
        self.check_throttles(request)
        self.resolve_scope()
        self.check_permissions(request)
        self._check_method(request)
        _check_path_is_certain(request)
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)
        if request.method != "OPTIONS":
            self._check_query(request)
        if request.method in _METHODS_WITH_BODY:
            _check_body_is_sent(request)

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """Answer which methods are permitted here, in `Allow` and in the body. Contract A4."""
        return Response({"allow": self.allowed_methods})

    def _check_method(self, request: Request) -> None:
        if request.method not in self.allowed_methods:
            allowed = ", ".join(self.allowed_methods)
            detail = f"The method {shortened(str(request.method))} is not permitted here; permitted are {allowed}."
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", detail, headers={"Allow": allowed})

    def _check_query(self, request: Request) -> None:
        allowed = self.allowed_query_parameters()
        if allowed is None:
            return
        fault = percent_encoding.fault(request.META.get("QUERY_STRING", ""))
        if fault:
            raise bad_request([Failure("", "UNREADABLE_QUERY", f"The query string {fault}.")])
        # Django would decode the query by the charset of Content-Type, which speaks of the body.
        request._request.encoding = "utf-8"
        failures = [
            failure
            for name, values in request.query_params.lists()
            if (failure := _parameter_failure(name, len(values), allowed))
        ]
        if failures:
            named = {failure.path for failure in failures}
            raise bad_request([*failures, *(other for other in self.further_failures() if other.path not in named)])


def _parameter_failure(name: str, count: int, allowed: frozenset[str]) -> Failure | None:
    if name not in allowed:
        nearest = get_close_matches(name, sorted(allowed), n=1)
        hint = f"Did you mean {nearest[0]}?" if nearest else f"Known here are: {', '.join(sorted(allowed)) or 'none'}."
        return Failure(shortened(name), "UNKNOWN_PARAMETER", f"There is no query parameter {quoted(name)}. {hint}")
    if count > 1:
        return Failure(name, "REPEATED_PARAMETER", f"The query parameter {name} stands {count} times; give it once.")
    return None


def _check_path_is_certain(request: Request) -> None:
    """Refuse a path that Django has decoded by guess: the answer would be about what the caller never named."""
    # The server's own copy of the request line, where it keeps one (gunicorn does).
    address = request.META.get("RAW_URI", "")
    fault = percent_encoding.ambiguity(address.partition("?")[0])
    if fault:
        raise not_found("NOT_FOUND", f"Nothing is found at this address: it {fault}.")


def _check_body_is_sent(request: Request) -> None:
    """Refuse an absent body here: REST framework would take it for an empty object without asking the parser."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) == 0:
        message = "The request has no body; a JSON object or array is expected."
        raise bad_request([Failure("", "EMPTY_BODY", message)])
