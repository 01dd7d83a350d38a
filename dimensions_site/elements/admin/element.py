"""The elements of a dimension in the admin, within the user's grants (contract G2)."""

from typing import Any, ClassVar

from django.http import HttpRequest

from dimensions_site.changes.models import Channel
from dimensions_site.elements.admin.editing import EditedAdmin
from dimensions_site.elements.admin.history import HistoryMixin
from dimensions_site.elements.admin.listing import ListedAdmin
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.saving import delete


class ElementAdmin(HistoryMixin, ListedAdmin, EditedAdmin):
    """A list, a form, a history and a deletion. A dimension sets `dimension`, `listed` and `icon`."""

    # In the sidebar, from unfold's font.
    icon: ClassVar[str] = "list"
    delete_confirmation_template = "admin/elements/delete.html"

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return the elements only: what was generated from them needs no permission of its own."""
        return [str(element) for element in objs], {}, set(), []

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Log nothing: the history of the element has more than Django's log would."""
        return []

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the element in the transaction of the request, unless it is deleted already."""
        rows = self.model.of(obj.repository_id).filter(pk=obj.pk)
        if rows.select_for_update().exists():
            delete(rows, obj.repository, Actor(request.user.get_username(), Channel.ADMIN))
