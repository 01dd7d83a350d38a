"""What the page of one element shows: its JSON, its form, and who changed it last."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.http import Http404, HttpRequest

from dimensions_site.administration.base.instants import shown_instant
from dimensions_site.administration.elements.forms import ElementForm
from dimensions_site.administration.elements.pickers import ReferenceFinder
from dimensions_site.changes.models import Channel
from dimensions_site.elements.declaration.structs import defaults_of
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Origin
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.repositories.models import Repository
from dimensions_site.text.parsing import parse_timestamp

# How many elements are read to learn which languages and attributes are in use; reading all would take too long.
_SAMPLE = 200


def known_keys(dimension: Dimension, repository: Repository) -> Mapping[str, Sequence[str]]:
    """Return the keys that elements of the repository have in their maps, by the path of the map, the most frequent
    first.

    All maps of languages share theirs, with the default language first. One query.
    """
    places = [place for place in dimension.wire.places.values() if place.is_map]
    columns = [place.column for place in places]
    rows = dimension.model.of(repository).order_by("element_id").values_list(*columns)[:_SAMPLE]
    languages = Counter({repository.default_language: _SAMPLE * len(places) + 1})
    counters = {place.path: languages if place.leaf.has_languages else Counter[str]() for place in places}
    for row in rows:
        for place, entries in zip(places, row, strict=True):
            counters[place.path].update(list(entries or ()))
    return {path: _by_use(counter) for path, counter in counters.items()}


def _by_use(counter: Counter[str]) -> list[str]:
    return sorted(counter, key=lambda key: (-counter[key], key))


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


def form_for(dimension: Dimension, request: HttpRequest, shown: PageElement, fixed: Container[str] = ()) -> ElementForm:
    """Return the form that shows the element; the values at the paths `fixed` cannot be changed."""
    known, finder = known_keys(dimension, shown.repository), ReferenceFinder(request, shown.repository)
    return ElementForm(dimension.wire, shown.json, fixed, known, finder.picker_address, finder.descriptions)


def about(dimension: Dimension, shown: PageElement) -> list[tuple[str, str]]:
    """Return who changed the element last, when and through what, each with its label; one query."""
    info, places = shown.json["updateInfo"], dimension.wire.places
    versions = dimension.model.versions_of(shown.repository).filter(element_id=shown.element.element_id)
    channel = versions.order_by("-number").values_list("change_set__channel", flat=True).first()
    through = Origin(info["origin"]).label if channel is None else Channel(channel).label
    texts = {"user": info["user"], "date": shown_instant(parse_timestamp(info["date"])), "origin": through}
    return [(places[f"updateInfo.{name}"].heading, text) for name, text in texts.items()]
