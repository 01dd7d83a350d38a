"""A small site with the conventions of the API and nothing else: its views return what they have read."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dimensions_site.api import handlers
from dimensions_site.api.access.basic import BasicAuthentication
from dimensions_site.api.errors import forbidden, not_found
from dimensions_site.api.parsers import BulkBodyParser, StrictJSONParser
from dimensions_site.api.rendering import JSONRenderer
from dimensions_site.api.views import ConventionsMixin

SECRET = "the password of the database"


class NameTag(BaseAuthentication):
    """The header `X-Name` is trusted; no database is used."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        name = request.META.get("HTTP_X_NAME")
        return (User(username=name), None) if name else None

    def authenticate_header(self, request: Request) -> str:
        return "NameTag"


class Echo(ConventionsMixin, APIView):
    authentication_classes = [NameTag]
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]

    def resolve_scope(self) -> None:
        if self.kwargs["db_id"] == "nowhere":
            raise not_found("UNKNOWN_REPOSITORY", "There is no repository nowhere.")
        if self.kwargs["db_id"] == "closed":
            raise forbidden("API_NOT_ENABLED", "The API is not enabled in the repository closed.")

    def allowed_query_parameters(self) -> frozenset[str] | None:
        return frozenset({"filter", "sort", "skip", "take"})

    def get(self, request: Request, **kwargs: Any) -> Response:
        return Response({"path": kwargs, "query": dict(request.query_params.lists())})

    def post(self, request: Request, **kwargs: Any) -> Response:
        return Response({"read": repr(request.data)})

    put = patch = post


class Bulk(Echo):
    """Gets the bytes of the body."""

    parser_classes = [BulkBodyParser]


class Careless(Echo):
    """Ignores query parameters, as reading one currency does (contract A7)."""

    def allowed_query_parameters(self) -> frozenset[str] | None:
        return None

    def get(self, request: Request, **kwargs: Any) -> Response:
        return Response({"path": kwargs})


class Silent(NameTag):
    """A mode without an authentication scheme."""

    def authenticate_header(self, request: Request) -> str:
        return ""


class Readable(ConventionsMixin, APIView):
    authentication_classes = [Silent, BasicAuthentication, NameTag]

    def get(self, request: Request, **kwargs: Any) -> Response:
        return Response({"path": kwargs})


class Streamed(ConventionsMixin, APIView):
    authentication_classes = [NameTag]

    def get(self, request: Request, **kwargs: Any) -> StreamingHttpResponse:
        return StreamingHttpResponse(rows_that_fail(), content_type="application/json")


def rows_that_fail() -> Iterator[bytes]:
    raise RuntimeError(SECRET)
    yield b""


class Nobody(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return False


class Forbidden(Echo):
    permission_classes = [Nobody]


class Failing(Echo):
    def get(self, request: Request, **kwargs: Any) -> Response:
        raise RuntimeError(SECRET)


def failing_page(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(SECRET)


def locked(request: HttpRequest) -> HttpResponse:
    raise OperationalError(SECRET)


def suspicious(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation(SECRET)


urlpatterns = [
    path("", failing_page, name="landing"),
    path("dimensions/v1/<str:db_id>/failing", Failing.as_view()),
    path("dimensions/v1/<str:db_id>/bulk", Bulk.as_view()),
    path("dimensions/v1/<str:db_id>/careless", Careless.as_view()),
    path("dimensions/v1/<str:db_id>/forbidden", Forbidden.as_view()),
    path("dimensions/v1/<str:db_id>/streamed", Streamed.as_view()),
    path("dimensions/v1/<str:db_id>/readable", Readable.as_view()),
    path("dimensions/v1/<str:db_id>/echo/<path:name>", Echo.as_view()),
    path("openapi/failing", failing_page),
    path("openapi/suspicious", suspicious),
    path("openapi/locked", locked),
    path("page/locked", locked),
    path("page/failing", failing_page),
    path("page/suspicious", suspicious),
]

handler400 = handlers.handler400
handler403 = handlers.handler403
handler404 = handlers.handler404
handler500 = handlers.handler500
