"""The OpenAPI documents, one for each dimension, and the pages on which they can be read and tried (contract H3)."""

import hashlib
from http import HTTPStatus
from threading import Lock
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path, reverse_lazy
from django.utils.functional import cached_property
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition
from django.views.generic import TemplateView
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.public import View, read_only

_DESCRIPTION = """Reads and writes the {dimension} dimension of a repository (a database of the application).

- **Who may.** A caller shows who he is in one of the ways listed under *Authorize*, and needs a grant in the
  repository: readers may read, editors may also write, managers may also delete many. The REST API has to be enabled
  in the repository.
- **Bodies** are JSON in UTF-8, strictly: a member that is not described, and a member that stands twice, are refused.
  They may be packed with gzip (`Content-Encoding: gzip`).
- **Errors** are problem details (RFC 9457, `application/problem+json`). A 400 lists every fault with the path of its
  field. They are looked for in this order: who the caller is (401), how often he calls (429), the repository (404),
  the grant (403), the method (405), the request (400), the element (404).
- **Dates** are accepted as ISO 8601, with `Z` or an offset, with or without time; without an offset they are UTC. They
  are answered as `2026-01-31T10:00:00.000+0000`.
- **Texts** are kept exactly as sent. An empty text is not the same as none.
"""

# What is looked at is kept in the views' classes, which all documents share: two made at once are mixed up.
_MAKING = Lock()


class Document:
    """The OpenAPI document of one dimension; it is built when it is first asked for, and then kept."""

    def __init__(self, dimension: str, version: str, routes: URLResolver) -> None:
        self._dimension = dimension
        self._version = version
        self._routes = routes
        self._content: dict[str, Any] | None = None

    @property
    def content(self) -> dict[str, Any]:
        """The document."""
        with _MAKING:
            if self._content is None:
                self._content = self._made()
            return self._content

    def _made(self) -> dict[str, Any]:
        document: dict[str, Any] = SchemaGenerator(patterns=[self._routes]).get_schema(public=True)
        # Parameters of Django's paths are named in Python's style.
        document["paths"] = {
            path.replace("{db_id}", "{dbID}").replace("{oid}", "{dataProcessingId}"): item
            for path, item in document["paths"].items()
        }
        document["info"] = {
            "title": f"{self._dimension.title()} dimension",
            "version": self._version,
            "description": _DESCRIPTION.format(dimension=self._dimension),
        }
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
        """The addresses of the document in both forms, and of its Swagger UI."""
        name = self._dimension
        shown = {"dimension": name, "document": reverse_lazy(f"openapi-{name}")}
        page = TemplateView.as_view(template_name="swagger_ui.html", extra_context=shown)
        return [
            path(f"openapi/{name}.json", _served(lambda: self.json, "application/json"), name=f"openapi-{name}"),
            path(f"openapi/{name}.yaml", _served(lambda: self.yaml, "application/yaml"), name=f"openapi-{name}-yaml"),
            path(f"docs/{name}", page, name=f"docs-{name}"),
        ]


def _served(content: Any, content_type: str) -> View:
    """A view that answers `content()`, 304 to those who have it, and 412 to those who want another."""

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
