"""Deleting one element, with its history and what was generated from it (contract C17, C18)."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest

from dimensions_site.elements.actors import Actor, Stamp
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.models import Origin
from dimensions_site.elements.saving import delete


class DeletedAdmin(ScopedAdmin):
    """Django's page that asks before it deletes, with another way to delete."""

    delete_confirmation_template = "admin/elements/delete.html"

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """The elements alone: what was generated from them needs no permission of its own."""
        return [str(element) for element in objs], {}, set(), []

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Nothing: the history of the element tells more than Django's log would."""
        return []

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the element in the transaction of the request, unless somebody else has done so already."""
        rows = self.model._base_manager.filter(pk=obj.pk)
        if rows.select_for_update().exists():
            delete(rows, Stamp(Actor(cast(User, request.user), Origin.INPUT_WEB)))
