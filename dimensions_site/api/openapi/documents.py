"""The OpenAPI document of each dimension, and its Swagger UI (contract H3)."""

import hashlib
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path, reverse_lazy
from django.utils.functional import cached_property
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition
from django.views.generic import TemplateView
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.views import View, read_only

_DESCRIPTION = Path(__file__).with_name("description.md")

# The generator keeps state in the view classes, which all documents share, so it must not run concurrently.
_GENERATION_LOCK = Lock()


def with_wire_names(endpoints: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the endpoints with the wire names of path parameters; Django's names are in snake case."""
    names = {"{db_id}": "{dbID}", "{oid}": "{dataProcessingId}", "{plan_id}": "{planId}"}
    found = []
    for address, *rest in endpoints:
        for name, wire_name in names.items():
            address = address.replace(name, wire_name)
        found.append((address, *rest))
    return found


class Document:
    """The OpenAPI document of one dimension, generated on first access and then cached."""

    def __init__(self, dimension: str, version: str, routes: list[URLPattern | URLResolver]) -> None:
        self._dimension = dimension
        self._version = version
        self._routes = routes

    @cached_property
    def content(self) -> dict[str, Any]:
        """The document."""
        with _GENERATION_LOCK:
            document: dict[str, Any] = SchemaGenerator(patterns=self._routes).get_schema(public=True)
        document["info"] = {
            "title": f"{self._dimension.title()} dimension",
            "version": self._version,
            "description": _DESCRIPTION.read_text(encoding="utf-8").format(dimension=self._dimension),
            "contact": {"name": "The operator of this service"},
        }
        # Relative to the document's URL, so that it is correct for every host.
        document["servers"] = [{"url": settings.URL_PREFIX or "/", "description": "This service."}]
        document["tags"] = [{"name": self._dimension, "description": f"The {self._dimension} dimension."}]
        return document

    @cached_property
    def json(self) -> bytes:
        """The document as JSON."""
        return orjson.dumps(self.content)

    @cached_property
    def yaml(self) -> bytes:
        """The document as YAML."""
        text: bytes = OpenApiYamlRenderer().render(self.content, renderer_context={})
        return text

    def routes(self) -> list[URLPattern]:
        """Return the routes of the document as JSON and YAML, and of its Swagger UI."""
        name = self._dimension
        shown = {"dimension": name, "document": reverse_lazy(f"openapi-{name}")}
        page = TemplateView.as_view(template_name="swagger_ui.html", extra_context=shown)
        return [
            path(f"openapi/{name}.json", _served(lambda: self.json, "application/json"), name=f"openapi-{name}"),
            path(f"openapi/{name}.yaml", _served(lambda: self.yaml, "application/yaml"), name=f"openapi-{name}-yaml"),
            path(f"docs/{name}", page, name=f"docs-{name}"),
        ]


def _served(content: Any, content_type: str) -> View:
    """Return a view of `content()` with conditional requests: 304 for If-None-Match, 412 for If-Match."""

    def etag(request: HttpRequest) -> str:
        return f'"{hashlib.sha256(content()).hexdigest()[:32]}"'

    @condition(etag_func=etag)
    def document(request: HttpRequest) -> HttpResponse:
        return HttpResponse(content(), content_type=content_type)

    def view(request: HttpRequest) -> HttpResponse:
        response = document(request)
        if response.status_code == HTTPStatus.PRECONDITION_FAILED:  # Django's own has no body (contract B1)
            detail = "The document is not served in the version that If-Match names; read it again."
            return problem_response(request, Problem(412, "PRECONDITION_FAILED", detail))
        return response

    return read_only(cache_control(public=True, no_cache=True)(view))
