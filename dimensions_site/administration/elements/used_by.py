"""What refers to elements, as people see it: with descriptions and links, within their grants (contract L1, G2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib.admin import AdminSite
from django.http import HttpRequest

from dimensions_site.administration.elements.scope import ScopedAdmin
from dimensions_site.administration.lists.described import language_of_page
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.models import Element
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


def uses_of(element: Element, dimension: Dimension, request: HttpRequest, site: AdminSite) -> Iterator[UsesShown]:
    """Return where `element` of `dimension` is used in its repository, within the user's grants; two queries for each
    dimension.

    Dimensions without a field that could refer to it are left out.
    """
    repository, id = element.repository, element.element_id
    for admin in _admins(dimension, repository, request, site):
        uses = find_uses(dimension, repository, [id], [admin.dimension], listed=SHOWN)[id]
        yield UsesShown(str(admin.opts.verbose_name_plural), uses.count, _users(uses.first, repository, [admin]))


def uses_of_many(
    ids: Sequence[str], dimension: Dimension, repository: Repository, request: HttpRequest, site: AdminSite, shown: int
) -> list[UsesShown]:
    """Return the uses of the first `shown` of the `ids` that are used, each under its id."""
    admins = _admins(dimension, repository, request, site)
    found = find_uses(dimension, repository, ids, [admin.dimension for admin in admins], listed=shown)
    return [
        UsesShown(id, found[id].count, _users(found[id].first, repository, admins))
        for id in [id for id in ids if id in found][:shown]
    ]


def _admins(dimension: Dimension, repository: Repository, request: HttpRequest, site: AdminSite) -> list[ScopedAdmin]:
    """Return the admins of the dimensions that can refer to `dimension`, and that the user may see in `repository`."""
    referring = referring_dimensions(dimension)
    return [
        admin
        for admin in site._registry.values()
        if isinstance(admin, ScopedAdmin) and admin.dimension in referring and repository.pk in admin.open_keys(request)
    ]


def _users(uses: Sequence[Use], repository: Repository, admins: Sequence[ScopedAdmin]) -> list[User]:
    """Return the elements of the `uses`; one query for each dimension that has some."""
    users: dict[tuple[str, str], tuple[str, str]] = {}
    default = repository.default_language
    language = language_of_page(default)
    for admin in admins:
        ids = {use.id for use in uses if use.dimension == admin.dimension.name}
        rows = with_ids(admin.model, repository, ids) if ids else ()
        for row in rows:
            _, text = preferred_text(row.descriptions, language, default)
            users[admin.dimension.name, row.element_id] = text, admin.route("change", row.pk)
    # One that was deleted a moment ago is left out.
    return [
        User(use.id, text, use.path, dimension_named(use.dimension).wire.places[use.path].heading, address)
        for use in uses
        for text, address in [users.get((use.dimension, use.id), ("", ""))]
        if address
    ]
