"""What refers to elements, as people see it: with descriptions and links, within their grants (contract L1, G2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.admin.utils import unquote
from django.http import HttpRequest
from django.template.response import TemplateResponse

from dimensions_site.administration.base.bounded import open_keys
from dimensions_site.administration.base.described import language_of_page
from dimensions_site.administration.base.element_links import element_route
from dimensions_site.administration.base.page import Page
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.reading.descriptions import preferred_text
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.uses import Use, find_uses, referring_dimensions
from dimensions_site.repositories.models import Repository

SHOWN = 20


@dataclass(frozen=True)
class User:
    """An element that refers to another: its id, description and page, and the path and heading of the field."""

    id: str
    text: str
    path: str
    heading: str
    address: str


@dataclass(frozen=True)
class UsesShown:
    """The references to an element from one dimension, or from all: the first of them, and how many."""

    name: str
    number: int
    first: list[User]


def show_uses(admin: ScopedAdmin, request: HttpRequest, object_id: str) -> TemplateResponse:
    """Show which elements refer to this one: a slower part of its page, which is loaded later.

    Two queries for each dimension with a field that could refer to it.
    """
    element = admin.get_object(request, unquote(object_id))
    repository, id = element.repository, element.element_id
    uses = []
    for dimension in _open_dimensions(admin.dimension, repository, request):
        found = find_uses(admin.dimension, repository, [id], [dimension], listed=SHOWN)[id]
        uses.append(UsesShown(str(dimension.verbose_name_plural), found.count, _users(found.first, repository)))
    return TemplateResponse(request, "admin/elements/uses.html", {"uses": uses})


USES_PAGE = Page("uses", "<path:object_id>/uses/", show_uses)


def uses_of_many(
    ids: Sequence[str], dimension: Dimension, repository: Repository, request: HttpRequest, shown: int
) -> tuple[list[UsesShown], int, int]:
    """Return the uses of the first `shown` of the `ids` that are used, each under its id, how many of them are used,
    and the number of references to them.
    """
    found = find_uses(dimension, repository, ids, _open_dimensions(dimension, repository, request), listed=shown)
    used = [id for id in ids if id in found and found[id].count]
    first = [UsesShown(id, found[id].count, _users(found[id].first, repository)) for id in used[:shown]]
    return first, len(used), sum(found[id].count for id in used)


def _open_dimensions(dimension: Dimension, repository: Repository, request: HttpRequest) -> list[Dimension]:
    """Return the dimensions that can refer to `dimension`, and that the user may see in `repository`."""
    return [other for other in referring_dimensions(dimension) if repository.pk in open_keys(request, other.name)]


def _users(uses: Sequence[Use], repository: Repository) -> list[User]:
    """Return the elements of the `uses`; one query for each dimension that has some."""
    ids: dict[str, set[str]] = {}
    for use in uses:
        ids.setdefault(use.dimension, set()).add(use.id)
    users: dict[tuple[str, str], tuple[str, str]] = {}
    default = repository.default_language
    language = language_of_page(default)
    for name, used_ids in ids.items():
        dimension = dimension_named(name)
        for row in with_ids(dimension.model, repository, used_ids):
            _, text = preferred_text(row.descriptions, language, default)
            users[name, row.element_id] = text, element_route(dimension, "change", row.pk)
    # One that was deleted a moment ago is left out.
    return [
        User(use.id, text, use.path, dimension_named(use.dimension).wire.places[use.path].heading, address)
        for use in uses
        for text, address in [users.get((use.dimension, use.id), ("", ""))]
        if address
    ]
