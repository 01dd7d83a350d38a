"""Looking up elements while one types the id of one that is referred to."""

from itertools import chain, islice
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.admin.searching import containing
from dimensions_site.repositories.admin import LONGEST_SEARCH
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.expressions import MapEntry

SUGGESTIONS = 20
# Comes after whatever begins with the same letters.
_LAST_CHARACTER = "\U0010ffff"


class PickedAdmin(ScopedAdmin):
    """Answers the pickers of other elements with the elements of this dimension."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.pick_view)
        return [path("pick/<int:repository_id>/", view, name=_route(self.dimension)), *super().get_urls()]

    def pick_view(self, request: HttpRequest, repository_id: int) -> JsonResponse:
        """`{"results": [{"id", "description"}], "more"}`: up to 20 elements of the repository that fit `?q=`.

        Those whose id begins with it come first. 404 for a repository that no grant of the user opens (contract G2).
        """
        repository = get_object_or_404(self.repositories(request), pk=repository_id)
        elements = self.model._base_manager.filter(repository=repository).order_by("element_id")
        found = list(islice(_fitting(elements, request.GET.get("q", "").strip(), repository), SUGGESTIONS + 1))
        results = [{"id": id, "description": description or ""} for id, description in found[:SUGGESTIONS]]
        return JsonResponse({"results": results, "more": len(found) > SUGGESTIONS})

    def picker_address(self, request: HttpRequest, dimension: str, repository: Repository) -> str | None:
        """Where elements of `dimension` are looked up; None when the user may not see them in `repository`."""
        for other in self.admin_site._registry.values():
            if isinstance(other, PickedAdmin) and other.dimension == dimension:
                is_open = repository.pk in other.open_keys(request)
                return reverse(f"admin:{_route(dimension)}", args=[repository.pk]) if is_open else None
        return None


def _route(dimension: str) -> str:
    return f"{dimension}_{dimension}_pick"


def _fitting(elements: QuerySet[Any], text: str, repository: Repository) -> "chain[tuple[str, str | None]]":
    """Ids and descriptions; each of the two queries stops when there is enough, and the first asks the index alone."""
    if len(text) > LONGEST_SEARCH:
        return chain()
    rows = elements.annotate(described=MapEntry("descriptions", repository.default_language))
    begins = {"element_id__gte": text, "element_id__lt": text + _LAST_CHARACTER}
    first = rows.filter(**begins).values_list("element_id", "described")[: SUGGESTIONS + 1]
    rest = rows.filter(containing(text)).exclude(**begins).values_list("element_id", "described")
    return chain(first, _later(rest)) if text else chain(first)


def _later(rows: QuerySet[Any]) -> Any:
    """The rows, read when somebody asks for the first of them."""
    yield from rows[: SUGGESTIONS + 1]
