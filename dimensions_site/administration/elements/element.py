"""The elements of a dimension in the admin, within the user's grants (contract G2)."""

from copy import copy
from typing import Any, ClassVar, cast

from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, QueryDict

from dimensions_site.administration.conditions.building import BuilderPages
from dimensions_site.administration.elements.comparing import ComparedAdmin
from dimensions_site.administration.elements.editing import EditedAdmin
from dimensions_site.administration.elements.history import HistoryMixin
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.administration.lists.saved import ViewPages
from dimensions_site.changes.models import Channel
from dimensions_site.changes.reasons import ReasonField
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.saving import delete


class ElementAdmin(HistoryMixin, ComparedAdmin, ViewPages, BuilderPages, ListedAdmin, EditedAdmin):
    """A list, a form, a history, comparisons and a deletion. A dimension sets `dimension`, `listed` and `icon`."""

    # In the sidebar, from unfold's font.
    icon: ClassVar[str] = "list"
    delete_confirmation_template = "admin/elements/delete.html"

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return the elements only: what was generated from them needs no permission of its own."""
        return [str(element) for element in objs], {}, set(), []

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Log nothing: the history of the element has more than Django's log would."""
        return []

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask whether to delete the element, and why; ask again if the reason is invalid."""
        if request.method == "POST":
            reason = ReasonField(self.get_object(request, unquote(object_id)).repository, request.POST)
            extra_context = {**(extra_context or {}), "reason": reason}
            if reason.error:
                request = copy(request)
                request.method, cast(Any, request).POST = "GET", QueryDict()
        return super().delete_view(request, object_id, extra_context)

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
        """Return the question, with a field for the reason."""
        return super().render_delete_form(request, {"reason": ReasonField(context["object"].repository), **context})

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the element in the transaction of the request, unless it is deleted already."""
        rows = self.model.of(obj.repository_id).filter(pk=obj.pk)
        if rows.select_for_update().exists():
            reason = ReasonField(obj.repository, request.POST).reason
            delete(rows, obj.repository, Actor(request.user.get_username(), Channel.ADMIN, reason=reason))
