"""The page of one element: what it shows, around the form."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, cast

import orjson
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from dimensions_site.elements.admin.controls import TimestampControl
from dimensions_site.elements.admin.forms import ElementForm, Surroundings
from dimensions_site.elements.admin.pickers import PickedAdmin
from dimensions_site.elements.admin.surroundings import blank, known_keys
from dimensions_site.elements.admin.used_by import uses_of
from dimensions_site.elements.etags import etag_of
from dimensions_site.elements.models import Origin
from dimensions_site.elements.rendering import full_renderer
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class Sheet:
    """An element of a repository, or a new one (`element` is None), as wire JSON with the tag of its version."""

    repository: Repository
    element: Any
    json: dict[str, Any]
    etag: str | None = None


class SheetAdmin(PickedAdmin):
    """Shows one element."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.uses_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_uses"
        return [path("<path:object_id>/uses/", view, name=name), *super().get_urls()]

    def uses_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Which elements refer to this one: a part of its page that takes longer than the others, so it comes later."""
        element = self.get_object(request, unquote(object_id))
        uses = list(uses_of(element, self.dimension, request, self.admin_site))
        return TemplateResponse(request, "admin/elements/uses.html", {"uses": uses})

    def generated(self, element: Any) -> list[str]:
        """What the service has generated from the element, in words."""
        return []

    def sheet_of(self, element: Any) -> Sheet:
        """The element as it is stored."""
        text = cast(str, self.json_text(element.repository, element.element_id))
        return Sheet(element.repository, element, orjson.loads(text), etag_of(text))

    def blank_sheet(self, repository: Repository) -> Sheet:
        """A new element of the repository."""
        return Sheet(repository, None, blank(self.wire))

    def json_text(self, repository: Repository, id: str) -> str | None:
        """The JSON of an element as REST answers it; None when there is none."""
        return full_renderer(self.wire, repository.default_language).one(self.model, repository, id)

    def form_for(self, request: HttpRequest, sheet: Sheet, fixed: Container[str] = ()) -> ElementForm:
        """The form that shows the sheet; what stands at the paths `fixed` cannot be changed."""
        known = known_keys(self.wire, self.model, sheet.repository)
        surroundings = Surroundings(
            fixed, known.__getitem__, lambda dimension: self.picker_address(request, dimension, sheet.repository)
        )
        return ElementForm(self.wire, sheet.json, surroundings)

    def page(self, request: HttpRequest, sheet: Sheet, form: ElementForm, **further: Any) -> HttpResponse:
        """The page with the form; `further` is for its template."""
        element = sheet.element
        about: dict[str, Any] = {}
        if element is not None:
            about = {
                "about": self.about(sheet),
                "generated": self.generated(element),
                "uses_address": self.route("uses", element.pk),
                "may_delete": self.has_delete_permission(request, element),
            }
        words = {"name": self.opts.verbose_name, "id": element}
        title = (_("New %(name)s") if element is None else _("%(name)s %(id)s")) % words
        context = {"title": title, "sheet": sheet, "form": form, "may_change": True, **about, **further}
        return self.answer(request, "admin/elements/element.html", context)

    def answer(self, request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
        """A page of the admin about this dimension."""
        return TemplateResponse(
            request,
            template,
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "preserved_filters": self.get_preserved_filters(request),
                "inline_admin_formsets": [],
                **context,
            },
        )

    def route(self, action: str, *arguments: Any) -> str:
        """The address of a page of this dimension."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{action}", args=arguments)

    def about(self, sheet: Sheet) -> dict[str, str]:
        """Who changed the element last, by the wire's words."""
        told = sheet.json["updateInfo"]
        date = TimestampControl(self.wire.places["updateInfo.date"], told["date"])
        return {"user": told["user"], "date": f"{date.shown} UTC", "origin": Origin(told["origin"]).label}
