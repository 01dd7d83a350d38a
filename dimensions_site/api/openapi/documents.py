"""The OpenAPI documents of the dimensions, each with its Swagger UI (contract H3; design/openapi.md)."""

import hashlib
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
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


def with_named_enums(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Return the document in which each enum with a title is a component of that name.

    Clients then have one type for the values of a field in responses, requests and patches.
    """
    schemas = result["components"]["schemas"]
    named: dict[str, Any] = {}
    for place, key, enum in [*_titled_enums(result)]:
        name = enum["title"]
        named[name] = {**enum, **named.get(name, {})}  # one of them may describe the values
        if named[name]["enum"] != enum["enum"] or name in schemas:
            raise ImproperlyConfigured(f"The OpenAPI document has two schemas called {name}.")
        place[key] = {"$ref": f"#/components/schemas/{name}"}
    schemas.update({name: {key: enum[key] for key in enum if key != "title"} for name, enum in named.items()})
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


def _titled_enums(part: Any) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Yield each enum with a title that is somewhere in the `part`, and before it the place that has it."""
    for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(inner, dict) and {"enum", "title"} <= inner.keys():
            yield part, key, inner
        elif isinstance(inner, dict | list):
            yield from _titled_enums(inner)


class Document:
    """The OpenAPI document of one or several dimensions, generated on first access and then cached."""

    def __init__(
        self, name: str, version: str, routes: list[URLPattern | URLResolver], dimensions: Sequence[str] = ()
    ) -> None:
        self._name = name
        self._dimensions = dimensions or [name]
        self._version = version
        self._routes = routes

    @cached_property
    def content(self) -> dict[str, Any]:
        with _GENERATION_LOCK:
            document: dict[str, Any] = SchemaGenerator(patterns=self._routes).get_schema(public=True)
        what = f"{' and '.join(self._dimensions)} dimension{'s' if len(self._dimensions) > 1 else ''}"
        document["info"] = {
            "title": f"{what[:1].upper()}{what[1:]}",
            "version": self._version,
            "description": _DESCRIPTION.read_text(encoding="utf-8").format(dimensions=what),
            "contact": {"name": "The operator of this service"},
            "license": {"name": "All rights reserved"},
        }
        # Relative to the document's URL, so that it is correct for every host.
        document["servers"] = [{"url": settings.URL_PREFIX or "/", "description": "This service."}]
        document["tags"] = [{"name": name, "description": f"The {name} dimension."} for name in self._dimensions]
        return document

    @cached_property
    def json(self) -> bytes:
        return orjson.dumps(self.content)

    @cached_property
    def yaml(self) -> bytes:
        text: bytes = OpenApiYamlRenderer().render(self.content, renderer_context={})
        return text

    def routes(self) -> list[URLPattern]:
        """Return the routes of the document as JSON and YAML, and of its Swagger UI."""
        name = self._name
        shown = {"dimension": name, "document": reverse_lazy(f"openapi-{name}")}
        page = read_only(TemplateView.as_view(template_name="swagger_ui.html", extra_context=shown))
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
