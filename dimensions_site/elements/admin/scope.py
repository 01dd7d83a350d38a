"""What every page of a dimension's elements starts from: the user's grants (contract G2)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.admin import BoundedListAdmin, open_keys
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import repositories_open_to


class ScopedAdmin(BoundedListAdmin):
    """The elements of one dimension within the user's grants; `api_enabled` does not close the admin (contract G3)."""

    dimension: ClassVar[str]
    wire: ClassVar[Wire]

    def repositories(self, request: HttpRequest, role: Role = Role.READER) -> QuerySet[Repository]:
        """The repositories in which the user has at least `role` for this dimension."""
        return repositories_open_to(request.user, self.dimension, role)

    def open_keys(self, request: HttpRequest, role: Role = Role.READER) -> frozenset[int]:
        """The primary keys of these repositories, asked once for each request: a page asks often."""
        return open_keys(request, self.dimension, role)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        # The keys, and not a query inside the query: with them the index gives the rows in the order of the list.
        elements: QuerySet[Any] = super().get_queryset(request)
        return elements.filter(repository__in=self.open_keys(request)).select_related("repository")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The element; an unknown one and one that no grant opens are both 404 (Django would redirect)."""
        element = super().get_object(request, object_id, from_field)
        if element is None:
            raise Http404
        return element

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._has_role(request, Role.READER)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._has_role(request, Role.READER, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._has_role(request, Role.EDITOR)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._has_role(request, Role.EDITOR, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._has_role(request, Role.MANAGER, obj)

    def _has_role(self, request: HttpRequest, role: Role, element: Any = None) -> bool:
        """Whether the user has at least `role` in the repository of `element`, or in any when there is none."""
        open_keys = self.open_keys(request, role)
        return bool(open_keys) if element is None else element.repository_id in open_keys
