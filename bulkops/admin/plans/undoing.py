"""The button that undoes what an activity, a deletion or an import has written (contract K7)."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from bulkops.admin.jobs import GrantedAdmin
from bulkops.admin.plans.making import ANY_NUMBER, NO_ELEMENTS, open_new_plan
from bulkops.plans.requests import PlanRequest
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.repositories.models import Role


class UndoMixin(GrantedAdmin):
    """Adds the view that makes a plan of the undo, and leads to it. Its button is `admin/plans/undo.html`."""

    def undo_id(self, row: Any) -> str | None:
        """Return the id of the change set, or of the operation, that the row stands for; None if it wrote nothing."""
        raise NotImplementedError

    def may_undo(self, request: HttpRequest, row: Any) -> bool:
        """Return whether the row can be undone, and the user is an editor of its elements."""
        return self.undo_id(row) is not None and self.has_role(request, row, Role.EDITOR)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.undo_view))
        return [path("<str:oid>/undo/", view, name=self.url_name("undo")), *super().get_urls()]

    def undo_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Make the plan, which changes nothing yet, and redirect to its page: for editors."""
        row = self.get_object(request, oid)
        if not self.may_undo(request, row):
            raise PermissionDenied
        plan_request = PlanRequest(NO_ELEMENTS, undo=self.undo_id(row), max_delete=ANY_NUMBER)
        dimension = dimension_named(row.dimension)
        return open_new_plan(request, dimension, row.repository, plan_request, back=self.route("change", row.pk))
