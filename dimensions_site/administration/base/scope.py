"""The base class of every admin page of a dimension's elements: the user's grants (contract G2)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from dimensions_site.administration.base.bounded import BoundedListAdmin, open_keys
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import repositories_open_to


class ScopedAdmin(BoundedListAdmin):
    """The elements of one dimension within the user's grants; `api_enabled` does not close the admin (contract G3)."""

    dimension: ClassVar[Dimension]

    def repositories(self, request: HttpRequest, role: Role = Role.READER) -> QuerySet[Repository]:
        """Return the repositories in which the user has at least `role` for this dimension."""
        return repositories_open_to(request.user, self.dimension.name, role)

    def open_keys(self, request: HttpRequest, role: Role = Role.READER) -> frozenset[int]:
        """Return the primary keys of these repositories, read once for each request."""
        return open_keys(request, self.dimension.name, role)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        # The keys, not a subquery: with them the index returns the rows in the order of the list.
        elements: QuerySet[Any] = self.model.within(self.open_keys(request)).select_related("repository")
        return elements.order_by(*self.get_ordering(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the element. An unknown one and one without a grant are both 404, where Django would redirect."""
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
        """Return whether the user has at least `role` in the repository of `element`, or in any if it is None."""
        open_keys = self.open_keys(request, role)
        return bool(open_keys) if element is None else element.repository_id in open_keys
