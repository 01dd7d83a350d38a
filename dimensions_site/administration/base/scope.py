"""What a user may see and change by their grants: elements, jobs and plans, and what they select (contract F7, G2)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import BoundedListAdmin, LookOnlyMixin, open_keys
from dimensions_site.administration.base.current import address_of_current, open_anywhere
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import repositories_open_to


class HidingAdmin(BoundedListAdmin):
    """Does not reveal which rows exist to users who may not see them."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row. An unknown one and one without a grant are both 404, where Django would redirect."""
        found = super().get_object(request, object_id, from_field)
        if found is None:
            raise Http404
        return found


class ScopedAdmin(HidingAdmin):
    """The elements of one dimension within the user's grants; `api_enabled` does not close the admin (contract G3)."""

    dimension: ClassVar[Dimension]
    # What the form of a new element begins with, by wire path; and what it suggests for a field by the value of
    # another, until somebody chooses something else.
    presets: ClassVar[Mapping[str, str]] = {}
    suggestions: ClassVar[Mapping[str, tuple[str, Mapping[str, str]]]] = {}

    def generated(self, element: Any) -> list[str]:
        """Return what the service has generated from the element, in words."""
        return []

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

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._has_role(request, Role.READER, obj)

    # Who may not write proposes (contract O4).
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._has_role(request, Role.PROPOSER, obj)

    has_module_permission = has_view_permission
    has_add_permission = has_delete_permission = has_change_permission

    def _has_role(self, request: HttpRequest, role: Role, element: Any = None) -> bool:
        """Return whether the user has at least `role` in the repository of `element`, or in any if it is None."""
        open_keys = self.open_keys(request, role)
        return bool(open_keys) if element is None else element.repository_id in open_keys


class GrantedAdmin(LookOnlyMixin, HidingAdmin):
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
        return open_anywhere(request, self.role)

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

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(self.open_keys(request))

    has_module_permission = has_view_permission

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the page of the row, which shows its whole history."""
        return self.change_view(request, object_id)


class JobAdmin(GrantedAdmin):
    """The list of jobs."""

    list_filter = ["status", "dimension", ("repository", admin.RelatedOnlyFieldListFilter)]


def selected_repository(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> Repository | None:
    """Return the single repository of the selection if the user may propose there; else None, with a message."""
    keys = list(queryset.order_by().values_list("repository", flat=True).distinct()[:2])
    if not keys:
        messages.warning(request, _("Nothing was done: nothing was found, or it no longer exists."))
        return None
    if len(keys) > 1:
        messages.error(
            request, _("What is selected belongs to more than one repository. Filter the list by one repository first.")
        )
        return None
    if not admin.open_keys(request, Role.PROPOSER).issuperset(keys):
        messages.error(request, _("Nothing was done: this needs the role proposer in the repository."))
        return None
    return Repository.objects.get(pk=keys[0])


def selection(request: HttpRequest, *, is_all: bool = False) -> dict[str, Any]:
    """Return what the template needs for the hidden fields that select the same elements again, or all of the list."""
    return {
        "checkbox": ACTION_CHECKBOX_NAME,
        # For a selection across all pages, Django requires one ticked box.
        "selected": ["0"] if is_all else request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": "1" if is_all else request.POST.get("select_across", "0"),
    }
