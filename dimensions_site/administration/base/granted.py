"""What the pages of jobs, plans and the activity share: the user's grants, and the list (contract F7, G2)."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from dimensions_site.administration.base.bounded import BoundedListAdmin, LookOnlyMixin, open_keys
from dimensions_site.administration.base.current import address_of_current
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.repositories.models import Repository, Role


class GrantedAdmin(LookOnlyMixin, BoundedListAdmin):
    """The list of the rows of repositories and dimensions where the user has at least `role`."""

    role: ClassVar[Role] = Role.READER

    list_select_related = ["repository"]
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        open_ones = Q(pk__in=())
        for dimension in dimension_names():
            open_ones |= Q(dimension=dimension, repository__in=open_keys(request, dimension, self.role))
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(open_ones).select_related("repository")

    def open_keys(self, request: HttpRequest) -> frozenset[int]:
        """Return the keys of the repositories of which the user may see any dimension."""
        return frozenset[int]().union(*(open_keys(request, name, self.role) for name in dimension_names()))

    def repositories(self, request: HttpRequest) -> QuerySet[Repository]:
        """Return the repositories of which the user may see any dimension."""
        return Repository.objects.filter(pk__in=self.open_keys(request))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Return the list, or redirect to that of the current repository."""
        address = address_of_current(request, self.open_keys(request))
        return redirect(address) if address else super().changelist_view(request, extra_context)

    def has_role(self, request: HttpRequest, row: Any, role: Role) -> bool:
        """Return whether the user has at least the `role` in the repository and the dimension of the row."""
        return row.repository_id in open_keys(request, row.dimension, role)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row. An unknown one and one without a grant are both 404, where Django would redirect."""
        found = super().get_object(request, object_id, from_field)
        if found is None:
            raise Http404
        return found

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(self.open_keys(request))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the page of the row, which shows its whole history."""
        return self.change_view(request, object_id)


class JobAdmin(GrantedAdmin):
    """The list of jobs."""

    list_filter = ["status", "dimension", ("repository", admin.RelatedOnlyFieldListFilter)]
