"""The elements of a dimension in the admin, within the user's grants (contract G2)."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import PAGE_VAR
from django.db.models import JSONField, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from dimensions_site.elements.fields import json_text
from dimensions_site.repositories.admin import BoundedListAdmin
from dimensions_site.repositories.permissions import repositories_open_to

VERSIONS_A_PAGE = 100
_VERSION_COLUMNS = ("history_date", "history_type", "history_actor", "history_origin")


class ElementAdmin(BoundedListAdmin):
    """Shows what the user's grants open, to look at: elements are changed where their rules are checked."""

    dimension: ClassVar[str]

    list_display = ["element_id", "repository", "default_description", "update_user", "update_date"]
    list_filter = [("repository", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["repository"]
    search_fields = ["element_id"]
    ordering = ["repository", "element_id"]
    show_full_result_count = False

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        self._shown: list[str | Callable[[Any], str]] = [
            _readable(column) if isinstance(column, JSONField) else column.name
            for column in model._meta.concrete_fields
            if not column.primary_key
        ]

    @admin.display(description="description")
    def default_description(self, element: Any) -> str | None:
        text: str | None = element.descriptions.get(element.repository.default_language)
        return text

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self._shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self._shown

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        open_to = repositories_open_to(request.user, self.dimension)
        return super().get_queryset(request).filter(repository__in=open_to)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The element; an unknown one and one that no grant opens are both 404 (Django would redirect)."""
        element = super().get_object(request, object_id, from_field)
        if element is None:
            raise Http404
        return element

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A page of the versions of the element, the latest first (contract C18); `?p=2` asks for the second page.

        Django's own page would tell only what was changed in the admin.
        """
        element = self.get_object(request, unquote(object_id))
        versions = self.model.history.filter(id=element.pk).order_by("-history_id").only(*_VERSION_COLUMNS)
        page = self.get_paginator(request, versions, VERSIONS_A_PAGE).get_page(request.GET.get(PAGE_VAR))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Versions of {element}",
            "opts": self.opts,
            "element": element,
            "versions": page,
            "page_numbers": page.paginator.get_elided_page_range(page.number),
            "page_var": PAGE_VAR,
        }
        return TemplateResponse(request, "admin/element_versions.html", context)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return repositories_open_to(request.user, self.dimension).exists()

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _readable(column: "JSONField[Any, Any]") -> Callable[[Any], str]:
    """A field of the page that shows a JSON column as lines, one for each value that is set."""

    def lines(element: Any) -> str:
        return "\n".join(f"{path}: {text}" for path, text in _leaves(column.value_from_object(element))) or "-"

    lines.__name__ = column.name
    return admin.display(description=str(column.verbose_name))(lines)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The dotted path and the text of each value in `value` that is not null."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _leaves(member, f"{path}.{name}" if path else name)
    elif value is not None:
        yield path, value if isinstance(value, str) else json_text(value)
