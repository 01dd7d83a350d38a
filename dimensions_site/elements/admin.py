"""The elements of a dimension in the admin, within the user's grants (contract G2)."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from dimensions_site.repositories.permissions import repositories_open_to


class ElementAdmin(admin.ModelAdmin[Any]):
    """Shows what the user's grants open, to look at: elements are changed where their rules are checked."""

    dimension: ClassVar[str]

    list_display = ["element_id", "repository", "default_description", "update_user", "update_date"]
    list_filter = [("repository", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["repository"]
    search_fields = ["element_id"]
    ordering = ["repository", "element_id"]
    show_full_result_count = False

    @admin.display(description="description")
    def default_description(self, element: Any) -> str | None:
        text: str | None = element.descriptions.get(element.repository.default_language)
        return text

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        open_to = repositories_open_to(request.user, self.dimension)
        return super().get_queryset(request).filter(repository__in=open_to)

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
