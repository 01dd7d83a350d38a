"""Repositories in the administration, for superusers."""

from typing import Any

from django.contrib import admin
from django.db.models import PROTECT, ManyToOneRel
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from dimensions_site.administration.base.bounded import SuperuserAdmin
from dimensions_site.administration.people.grants import GrantInline
from dimensions_site.repositories.models import Repository


@admin.register(Repository)
class RepositoryAdmin(SuperuserAdmin):
    list_display = ["db_id", "name", "default_language", "api_enabled"]
    search_fields = ["db_id", "name"]
    inlines = [GrantInline]
    # Django would load all elements to report that they prevent the deletion.
    actions = None

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Make the dbID of an existing repository read-only: clients store URLs with it. For a copy, show the base."""
        if obj is None:
            return []
        return ["db_id"] if obj.base is None else ["db_id", "copied_from"]

    @admin.display(description=_("copied from"))
    def copied_from(self, obj: Repository) -> str:
        """Return the repository that it was copied from, and the Sync-Token of that state by dimension."""
        states = (f"{dimension}: {token}" for dimension, token in obj.base_states.items())
        return format_html_join("", "{}<br>", ((line,) for line in (obj.base, *states)))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow the deletion of empty repositories only."""
        return super().has_delete_permission(request, obj) and (obj is None or not _holds_anything(obj))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "db_id":
            kwargs["widget"] = UnfoldAdminTextInputWidget
        return super().formfield_for_dbfield(db_field, request, **kwargs)


def _holds_anything(repository: Repository) -> bool:
    """Return whether the repository has rows that its deletion must not delete as well, such as elements."""
    protecting = (
        relation
        for relation in Repository._meta.get_fields(include_hidden=True)
        if isinstance(relation, ManyToOneRel) and relation.on_delete is PROTECT
    )
    return any(
        relation.related_model._base_manager.filter(**{relation.field.name: repository}).exists()
        for relation in protecting
    )
