"""The conventions of all REST views (contracts A4, A6, A7; design/http.md)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from http import HTTPStatus
from typing import Any, ClassVar, TypeAlias

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dimensions_site.api.access.one_credential import check_one_credential, credentials_missing
from dimensions_site.api.access.throttling import count_refusal, rate_headers
from dimensions_site.api.errors import Failure, Problem, bad_request, check_all, not_found, problem_response
from dimensions_site.api.middleware.addresses import decoding_error, query_error
from dimensions_site.api.parsers import StrictJSONParser
from dimensions_site.api.rendering import HeaderNegotiation, media_type
from dimensions_site.observability.observation import current_observation
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import close_names, did_you_mean

View: TypeAlias = Callable[..., HttpResponse]


_ALLOW = {"Allow": "GET, HEAD, OPTIONS"}


def read_only(view: View) -> View:
    """Restrict `view` to GET and HEAD, with the responses to OPTIONS (200) and other methods (405); contract A4."""

    @csrf_exempt  # the view changes nothing, and the check would return 403 instead of 405
    @wraps(view)
    def checked(request: HttpRequest, **path: str) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request, **path)
        if request.method == "OPTIONS":
            return HttpResponse(headers=_ALLOW, content_type="text/plain")
        detail = "Only GET and HEAD are permitted here."
        return problem_response(request, Problem(405, "METHOD_NOT_ALLOWED", detail, headers=_ALLOW))

    return checked


_METHODS_WITH_BODY = ("POST", "PUT", "PATCH")


class ConventionsMixin(APIView):
    """Checks a request in the order of contract A6 before the handler of its method runs.

    Precedes REST framework's class: `class ElementList(ConventionsMixin, ViewSet)`.
    """

    content_negotiation_class = HeaderNegotiation
    # A sentence for each method that the path does not have, but that clients try.
    method_hints: ClassVar[Mapping[str, str]] = {}

    def identify(self, request: Request) -> None:
        """Authenticate the client.

        Raises `NotAuthenticated` without credentials, `AuthenticationFailed` for wrong ones.
        """
        check_one_credential(request)
        self.perform_authentication(request)
        if not request.user.is_authenticated:
            raise NotAuthenticated(credentials_missing(request))
        if observed := current_observation():
            observed.name(mode=getattr(request.successful_authenticator, "mode", None))

    def resolve_scope(self) -> None:
        """Resolve what the path addresses and check access: raise Problem 404 or 403."""

    def allowed_query_parameters(self) -> frozenset[str] | None:
        """Return the query parameters of this view; None if it ignores unknown ones. Contract A7."""
        return frozenset()

    @property
    def takes_body(self) -> bool:
        return True

    @property
    def has_body(self) -> bool:
        return self.request.method in _METHODS_WITH_BODY and self.takes_body

    def repeatable_query_parameters(self) -> frozenset[str]:
        return frozenset()

    def check_values(self) -> None:
        """Raise Problem with the errors in the values of the query parameters, reported with unknown names (B1)."""

    def header_checks(self) -> Sequence[Callable[[], object]]:
        """Return what raises Problem for errors in headers, which are reported with those of the query (B1)."""
        return ()

    def refuse(self, problem: Problem) -> None:
        """Raise the `problem` of the query and the headers."""
        raise problem

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise the first error that applies, as NotAuthenticated or Problem. Contract A6."""
        self.format_kwarg = None
        self.identify(request)
        self.check_throttles(request)
        self.resolve_scope()
        self.check_permissions(request)
        self._check_method(request)
        _check_path_is_certain(request)
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)
        if request.method != "OPTIONS":
            body = [partial(_check_body_is_sent, request)] if self.has_body else []
            try:
                check_all((), partial(self._check_query, request), *body, *self.header_checks())
            except Problem as problem:
                self.refuse(problem)

    def handle_exception(self, exc: Exception) -> Response:
        """Return the response to an error; 429 after too many refused credentials from the client's address."""
        if isinstance(exc, AuthenticationFailed):
            exc = count_refusal(self.request._request) or exc
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the response with the state of the client's rate limits (contract M7)."""
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rate_headers(self.request._request).items():
            response[name] = value
        # Circles of references would keep the request and its body until the garbage collector finds them.
        self.request.parser_context.clear()
        for method in getattr(self, "action_map", ()):
            vars(self).pop(method, None)  # what a view set binds to itself
        return response

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """Return the permitted methods, in `Allow` and in the body, and `Accept-Patch` (RFC 5789). Contract A4."""
        types = ", ".join(str(parser.media_type) for parser in self.get_parsers())
        headers = {"Accept-Patch": types} if "PATCH" in self.allowed_methods else {}
        return Response({"allow": self.allowed_methods}, headers=headers)

    def _check_method(self, request: Request) -> None:
        if request.method not in self.allowed_methods:
            allowed = ", ".join(self.allowed_methods)
            detail = f"The method must be one of {allowed}; got {shortened(str(request.method))}."
            detail += self.method_hints.get(str(request.method), "")
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", detail, headers={"Allow": allowed})

    def _check_query(self, request: Request) -> None:
        allowed = self.allowed_query_parameters()
        if allowed is None:
            return
        error = query_error(request.META.get("QUERY_STRING", ""))
        if error:
            raise bad_request([Failure("", "UNREADABLE_QUERY", f"The query string {error}.")])
        # Django would decode the query with the charset of Content-Type, which applies to the body.
        request._request.encoding = "utf-8"
        repeatable = self.repeatable_query_parameters()
        failures = [
            failure
            for name, values in request.query_params.lists()
            if (failure := _parameter_failure(name, 1 if name in repeatable else len(values), allowed))
        ]
        if failures:
            named = {failure.path for failure in failures}
            try:
                self.check_values()
            except Problem as problem:
                failures += [failure for failure in problem.failures if failure.path not in named]
            raise bad_request(failures)
        if self.has_body:
            self.check_values()


def _parameter_failure(name: str, count: int, allowed: frozenset[str]) -> Failure | None:
    if name not in allowed:
        known = tuple(sorted(allowed))
        taken = f" This call takes {', '.join(known) if known else 'no query parameters'}."
        hint = did_you_mean(close_names(name, known)) or taken
        message = f"Unknown query parameter '{shortened(name)}'.{hint}"
        return Failure(shortened(name), "UNKNOWN_PARAMETER", message)
    if count > 1:
        return Failure(name, "REPEATED_PARAMETER", f"{name} must appear only once; it appears {count} times.")
    return None


def _check_path_is_certain(request: Request) -> None:
    """Refuse a path that Django cannot decode unambiguously: the response could be about another resource."""
    # The request line as received, if the server provides it (gunicorn does).
    address = request.META.get("RAW_URI", "")
    error = decoding_error(address.partition("?")[0])
    if error:
        raise not_found("NOT_FOUND", f"There is nothing at this address: it {error}.")


def _check_body_is_sent(request: Request) -> None:
    """Refuse a missing body: REST framework would treat it as an empty object without calling the parser."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) == 0:
        sent = media_type(request.content_type)
        parsers = [each for each in request.parsers or () if isinstance(each, StrictJSONParser)]
        expected = next((each.expected for each in parsers if each.media_type == sent), StrictJSONParser.expected)
        message = f"The request has no body; {expected} is expected."
        raise bad_request([Failure("", "EMPTY_BODY", message)])
