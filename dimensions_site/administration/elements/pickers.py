"""Finding elements while a user types the id of a reference."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404

from dimensions_site.administration.base.bounded import LONGEST_SEARCH, Page, open_keys
from dimensions_site.administration.base.differences import shared_beginning
from dimensions_site.administration.base.naming import description_of, element_route, first_fitting
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.repositories.models import Repository

# An element by its dimension and id, and the description of each such element; None if there is no such element.
Named: TypeAlias = tuple[str | None, str]
Descriptions: TypeAlias = dict[Named, str | None]

SUGGESTIONS = 20
# How many similar ids are suggested for an id that no element has.
NEAREST = 3


def pick(admin: ScopedAdmin, request: HttpRequest, repository_id: int) -> JsonResponse:
    """Return `{"results": [{"id", "description", "address"}], "more"}`: up to 20 elements that match `?q=`.

    They are of the repository; those whose id begins with the text come first. If none matches, `near` has those with
    the most similar ids. 404 for a repository without a grant of the user (contract G2).
    """
    repository = get_object_or_404(admin.repositories(request), pk=repository_id)
    rows = admin.model.of(repository).order_by("element_id").only("element_id", "descriptions")
    text = request.GET.get("q", "").strip()
    found = _as_json(admin.dimension, first_fitting(rows, text, SUGGESTIONS + 1), repository)
    near = [] if found else _as_json(admin.dimension, _near(rows, text), repository)
    return JsonResponse({"results": found[:SUGGESTIONS], "more": len(found) > SUGGESTIONS, "near": near})


PICK_PAGE = Page("pick", "pick/<int:repository_id>/", pick)


class ReferenceFinder:
    """Finds elements that others of the `repository` refer to, in the dimensions that the user may see there."""

    def __init__(self, request: HttpRequest, repository: Repository) -> None:
        self._request = request
        self.repository = repository

    def is_open(self, dimension: Dimension) -> bool:
        """Return whether the user may see elements of the `dimension` there."""
        return self.repository.pk in open_keys(self._request, dimension.name)

    def picker_address(self, name: str) -> str | None:
        """Return the URL that finds elements of the dimension; None if the user may not see them."""
        dimension = dimension_named(name)
        return element_route(dimension, "pick", self.repository.pk) if self.is_open(dimension) else None

    def descriptions(self, named: Iterable[Named]) -> Descriptions:
        """Return the description of each element that is named by its dimension and id, as `found` does."""
        return {name: None if row is None else row["description"] for name, row in self.found(named).items()}

    def found(self, named: Iterable[Named]) -> dict[Named, dict[str, str] | None]:
        """Return each element that is named by its dimension and id as the picker does, None where there is none.

        Dimensions that the user may not see are left out. One query for each of the others.
        """
        ids: dict[str, set[str]] = {}
        for name, id in named:
            if name is not None and "\0" not in id:
                ids.setdefault(name, set()).add(id)
        result: dict[Named, dict[str, str] | None] = {}
        for name, wanted in ids.items():
            dimension = dimension_named(name)
            if self.is_open(dimension):
                rows = with_ids(dimension.model, self.repository, wanted).only("element_id", "descriptions")
                found = {row["id"]: row for row in _as_json(dimension, rows, self.repository)}
                result |= {(name, id): found.get(id) for id in wanted}
        return result


def _as_json(dimension: Dimension, found: Iterable[Any], repository: Repository) -> list[dict[str, str]]:
    """Return the ids, the descriptions that the user reads in lists, too, and the addresses of the pages."""
    return [
        {
            "id": row.element_id,
            "description": description_of(row.descriptions, repository),
            "address": element_route(dimension, "change", row.pk),
        }
        for row in found
    ]


def _near(rows: QuerySet[Any], text: str) -> Sequence[Any]:
    """Return the rows whose ids begin with the longest possible part of `text`, at least half of it."""
    if len(text) > LONGEST_SEARCH:
        return []
    # In the order of the index, what shares the longest beginning stands next to where the text would stand.
    beside = [
        *rows.filter(element_id__lt=text).order_by("-element_id")[:NEAREST],
        *rows.filter(element_id__gt=text)[:NEAREST],
    ]
    shared = {row: shared_beginning(row.element_id, text) for row in beside}
    longest = max(shared.values(), default=0)
    return [row for row in beside if shared[row] == longest and longest * 2 >= len(text)][:NEAREST]
