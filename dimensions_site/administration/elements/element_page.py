"""What the page of one element shows: its JSON, who changed it last, and what refers to it (contract L1, G2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse

from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.base.values import shown_instant
from dimensions_site.administration.elements.pickers import ReferenceFinder
from dimensions_site.changes.models import Channel
from dimensions_site.elements.declaration.structs import defaults_of
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.models import Origin
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.uses import Uses, find_uses, referring_dimensions
from dimensions_site.repositories.models import Repository
from dimensions_site.text.parsing import parse_timestamp

# How many elements that refer to it are shown.
_USERS = 20


@dataclass(frozen=True)
class PageElement:
    """An element of a repository, or a new one (`element` is None), as wire JSON with the tag of its version."""

    repository: Repository
    element: Any
    json: Mapping[str, Any]
    etag: str | None = None


def stored_element(dimension: Dimension, element: Any) -> PageElement:
    """Return the element as it is stored, with the JSON of REST. Raises Http404 if it was deleted a moment ago."""
    repository = element.repository
    text = full_renderer(dimension, repository.default_language).one(repository, element.element_id)
    if text is None:
        raise Http404
    return PageElement(repository, element, orjson.loads(text), etag_of(text))


def new_element(dimension: Dimension, repository: Repository) -> PageElement:
    """Return a new element of the repository, with nothing but default values (contract C8)."""
    return PageElement(repository, None, defaults_of(dimension.wire.serializer()).completed({}))


def about(dimension: Dimension, shown: PageElement) -> list[tuple[str, str]]:
    """Return who changed the element last, when and through what, each with its label; one query."""
    info, places = shown.json["updateInfo"], dimension.wire.places
    versions = dimension.model.versions_of(shown.repository).filter(element_id=shown.element.element_id)
    channel = versions.order_by("-number").values_list("change_set__channel", flat=True).first()
    through = Origin(info["origin"]).label if channel is None else Channel(channel).label
    texts = {"user": info["user"], "date": shown_instant(parse_timestamp(info["date"])), "origin": through}
    return [(places[f"updateInfo.{name}"].heading, text) for name, text in texts.items()]


class UsesShown(NamedTuple):
    """The references to an element from one dimension, or from all: how many, and the first of them.

    Each of these has the `id`, `description` and `address` of the element that refers to it, and the `heading` of its
    field.
    """

    name: str
    number: int
    first: list[dict[str, str]]


def show_uses(admin: ScopedAdmin, request: HttpRequest, object_id: str) -> TemplateResponse:
    """Show which elements refer to this one: a slower part of its page, which is loaded later.

    Two queries for each dimension with a field that could refer to it.
    """
    element = admin.get_object(request, unquote(object_id))
    finder, id = ReferenceFinder(request, element.repository), element.element_id
    uses = []
    for dimension in _open_dimensions(admin.dimension, finder):
        found = find_uses(admin.dimension, element.repository, [id], [dimension], listed=_USERS)[id]
        uses.append(_shown(str(dimension.verbose_name_plural), found, finder))
    return TemplateResponse(request, "admin/elements/uses.html", {"uses": uses})


USES_PAGE = Page("uses", "<path:object_id>/uses/", show_uses)


def uses_of_many(
    ids: Sequence[str], dimension: Dimension, finder: ReferenceFinder, shown: int
) -> tuple[list[UsesShown], int, int]:
    """Return the uses of the first `shown` of the `ids` that are used, each under its id, how many of them are used,
    and the number of references to them.
    """
    found = find_uses(dimension, finder.repository, ids, _open_dimensions(dimension, finder), listed=shown)
    used = [id for id in ids if id in found and found[id].count]
    return [_shown(id, found[id], finder) for id in used[:shown]], len(used), sum(found[id].count for id in used)


def _open_dimensions(dimension: Dimension, finder: ReferenceFinder) -> list[Dimension]:
    """Return the dimensions that can refer to `dimension`, and that the user may see."""
    return list(filter(finder.is_open, referring_dimensions(dimension)))


def _shown(name: str, uses: Uses, finder: ReferenceFinder) -> UsesShown:
    """Return the `uses` in words; one query for each dimension that has some."""
    users = finder.found((use.dimension, use.id) for use in uses.first)
    first = [
        {**user, "heading": dimension_named(use.dimension).wire.places[use.path].heading}
        for use in uses.first
        # One that was deleted a moment ago is left out.
        if (user := users[use.dimension, use.id]) is not None
    ]
    return UsesShown(name, uses.count, first)
