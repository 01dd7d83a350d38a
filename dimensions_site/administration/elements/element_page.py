"""The page of one element: what it shows around the form."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from dimensions_site.administration.elements.forms import ElementForm
from dimensions_site.administration.elements.pickers import PickedAdmin
from dimensions_site.administration.elements.used_by import uses_of
from dimensions_site.administration.inputs.controls import TimestampControl
from dimensions_site.changes.models import Channel
from dimensions_site.changes.reasons import ReasonField
from dimensions_site.elements.declaration.structs import defaults_of
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Origin
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.repositories.models import Repository

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


class ElementPageAdmin(PickedAdmin):
    """Shows one element."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.uses_view)
        return [path("<path:object_id>/uses/", view, name=self.url_name("uses")), *super().get_urls()]

    def uses_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show which elements refer to this one: a slower part of its page, which is loaded later."""
        element = self.get_object(request, unquote(object_id))
        uses = list(uses_of(element, self.dimension, request, self.admin_site))
        return TemplateResponse(request, "admin/elements/uses.html", {"uses": uses})

    def generated(self, element: Any) -> list[str]:
        """Return what the service has generated from the element, in words."""
        return []

    def stored_element(self, element: Any) -> PageElement:
        """Return the element as it is stored, with the JSON of REST."""
        repository = element.repository
        text = full_renderer(self.dimension, repository.default_language).one(repository, element.element_id)
        if text is None:  # deleted a moment ago
            raise Http404
        return PageElement(repository, element, orjson.loads(text), etag_of(text))

    def new_element(self, repository: Repository) -> PageElement:
        """Return a new element of the repository, with nothing but default values (contract C8)."""
        return PageElement(repository, None, defaults_of(self.dimension.wire.serializer()).completed({}))

    def form_for(self, request: HttpRequest, shown: PageElement, fixed: Container[str] = ()) -> ElementForm:
        """Return the form that shows the element; the values at the paths `fixed` cannot be changed."""
        known = known_keys(self.dimension, shown.repository)
        return ElementForm(
            self.dimension.wire,
            shown.json,
            fixed,
            known,
            lambda dimension: self.picker_address(request, dimension, shown.repository),
            partial(self.descriptions, request, shown.repository),
        )

    def page(self, request: HttpRequest, shown: PageElement, form: ElementForm, **further: Any) -> HttpResponse:
        """Return the page with the form; `further` is for its template."""
        element = shown.element
        self.mark_unknown(request, shown.repository, form)
        about: dict[str, Any] = {}
        if element is not None:
            about = {
                "about": self.about(shown),
                "generated": self.generated(element),
                "uses_address": self.route("uses", element.pk),
                "may_delete": self.has_delete_permission(request, element),
            }
        words = {"name": self.opts.verbose_name, "id": element}
        title = (_("New %(name)s") if element is None else _("%(name)s %(id)s")) % words
        context = {
            "title": title,
            "shown": shown,
            "form": form,
            "etag": shown.etag,
            "may_change": True,
            "reason": ReasonField(shown.repository),
            "preserved_filters": self.get_preserved_filters(request),
            **about,
            **further,
        }
        return self.render_page(request, "admin/elements/element.html", **context)

    def about(self, shown: PageElement) -> list[tuple[str, str]]:
        """Return who changed the element last, when and through what, each with its label; one query."""
        info, element = shown.json["updateInfo"], shown.element
        date = TimestampControl(self.dimension.wire.places["updateInfo.date"], info["date"])
        versions = self.model.versions_of(shown.repository).filter(element_id=element.element_id)
        channel = versions.order_by("-number").values_list("change_set__channel", flat=True).first()
        through = Origin(info["origin"]).label if channel is None else Channel(channel).label
        texts = {"user": info["user"], "date": f"{date.shown} UTC", "origin": through}
        labels = ((self.dimension.wire.places[f"updateInfo.{name}"].heading, text) for name, text in texts.items())
        return list(labels)
