"""References in both directions: finding what an element refers to while a user types, and what refers to it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import LONGEST_SEARCH, Page, open_keys
from dimensions_site.administration.base.differences import shared_beginning
from dimensions_site.administration.base.naming import description_of, element_route, first_fitting
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.uses import Uses, find_uses, referring_dimensions
from dimensions_site.repositories.models import Repository

# An element by its dimension and id, and the description of each such element; None if there is no such element.
Named: TypeAlias = tuple[str | None, str]
Descriptions: TypeAlias = dict[Named, str | None]

SUGGESTIONS = 20
# How many similar ids are suggested for an id that no element has.
NEAREST = 3
# How many elements that refer to one are shown on its page.
_USERS = 20


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


class ReferenceFinder:
    """Finds elements that others of the `repository` refer to, in the dimensions that the user may see there."""

    def __init__(self, request: HttpRequest, repository: Repository) -> None:
        self._request = request
        self.repository = repository

    def is_open(self, dimension: Dimension) -> bool:
        """Return whether the user may see elements of the `dimension` there."""
        return self.repository.pk in open_keys(self._request, dimension.name)

    def referring(self, dimension: Dimension) -> list[Dimension]:
        """Return the dimensions that can refer to `dimension`, and that the user may see."""
        return list(filter(self.is_open, referring_dimensions(dimension)))

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


class UsesShown(NamedTuple):
    """The references to an element from one dimension, or from all: how many, and the first of them.

    Each of these has the `id`, `description` and `address` of the element that refers to it, and the `heading` of its
    field.
    """

    name: str
    number: int
    first: list[dict[str, str]]


def show_uses(admin: ScopedAdmin, request: HttpRequest, object_id: str) -> TemplateResponse:
    """Show which elements refer to this one: a page, or with `?part` a slower part of that of the element.

    Two queries for each dimension with a field that could refer to it.
    """
    element = admin.get_object(request, unquote(object_id))
    finder, id = ReferenceFinder(request, element.repository), element.element_id
    uses = []
    for dimension in finder.referring(admin.dimension):
        found = find_uses(admin.dimension, element.repository, [id], [dimension], listed=_USERS)[id]
        uses.append(_shown(str(dimension.verbose_name_plural), found, finder))
    part = "admin/elements/uses.html"
    if "part" in request.GET:
        return TemplateResponse(request, part, {"uses": uses})
    shown = {"title": _("What refers to this"), "panel": part, "uses": uses, "original": element}
    return admin.render_page(request, "admin/start/page.html", **shown)


def uses_of_many(
    ids: Sequence[str], dimension: Dimension, finder: ReferenceFinder, shown: int
) -> tuple[list[UsesShown], int, int]:
    """Return the uses of the first `shown` of the `ids` that are used, each under its id, how many of them are used,
    and the number of references to them.
    """
    found = find_uses(dimension, finder.repository, ids, finder.referring(dimension), listed=shown)
    used = [id for id in ids if id in found and found[id].count]
    return [_shown(id, found[id], finder) for id in used[:shown]], len(used), sum(found[id].count for id in used)


def _shown(name: str, uses: Uses, finder: ReferenceFinder) -> UsesShown:
    """Return the `uses` in words; one query for each dimension that has some."""
    users = finder.found((use["dimension"], use["id"]) for use in uses.first)
    first = [
        {**user, "heading": dimension_named(use["dimension"]).wire.places[use["path"]].heading}
        for use in uses.first
        # One that was deleted a moment ago is left out.
        if (user := users[use["dimension"], use["id"]]) is not None
    ]
    return UsesShown(name, uses.count, first)


REFERENCE_PAGES = (Page("pick", "pick/<int:repository_id>/", pick), Page("uses", "<path:object_id>/uses/", show_uses))
