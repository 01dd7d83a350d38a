"""The URLs of a dimension: REST, and the OpenAPI document that describes it (contract A1, H3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from django.urls import URLPattern, URLResolver, include, path
from django.utils.functional import cached_property

from dimensions_site.api.openapi.documents import Document
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.rest.repositories import RepositoriesViewSet

# Each dimension answers under all of these; its OpenAPI document has only `Dimension.prefix`.
PREFIXES = ("api/aih/dimensions/v1/", "dimensions/v1/")


@dataclass(frozen=True)
class DimensionRoutes:
    """Places the `routes` of a dimension, which begin after its name, under the specification's prefixes."""

    dimension: Dimension
    routes: list[URLPattern]

    @cached_property
    def documented(self) -> list[URLPattern | URLResolver]:
        """Return the routes as in the OpenAPI document, with the list of repositories at the prefix (contract M2)."""
        prefix, name = self.dimension.prefix, self.dimension.name
        view = RepositoriesViewSet.as_view({"get": "list"}, dimension=self.dimension)
        repositories = path(prefix.removesuffix("/"), view, name=f"repositories-of-{name}")
        return [repositories, self._under(prefix, namespace=name)]

    @cached_property
    def document(self) -> Document:
        return Document(self.dimension.name, self.dimension.version, self.documented)

    @property
    def urlpatterns(self) -> list[URLPattern | URLResolver]:
        """Return the routes under every prefix, and those of the document."""
        others = [prefix for prefix in PREFIXES if prefix != self.dimension.prefix]
        other_prefixes = [self._under(prefix, namespace=f"{self.dimension.name}-other-prefix") for prefix in others]
        return [*self.documented, *other_prefixes, *self.document.routes()]

    def _under(self, prefix: str, *, namespace: str) -> URLResolver:
        name = self.dimension.name
        return path(f"{prefix}<str:db_id>/{name}/", include((self.routes, name), namespace=namespace))


def common_document(routes: Sequence[DimensionRoutes]) -> Document:
    """Return the OpenAPI document of all dimensions, with one list of repositories (contract M3)."""
    first, *others = (each.documented for each in routes)
    patterns = [*first, *chain.from_iterable(each[1:] for each in others)]
    return Document("dimensions", "v1", patterns, [each.dimension.name for each in routes])
