"""Repositories in the administration, for superusers."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import PROTECT, ManyToOneRel
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from dimensions_site.administration.base.bounded import SuperuserAdmin
from dimensions_site.administration.people.people_forms import GrantInline
from dimensions_site.changes.requirements import set_approval
from dimensions_site.elements.dimension import Dimension, dimensions
from dimensions_site.repositories.models import ApprovalSwitch, Repository

_NEEDS = _("what needs the approval of a second person")
_HELP = _(
    "What needs an approval can only be proposed, on pages as over REST, by anybody. Another editor or manager then "
    "approves the change proposal, and it is applied."
)


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

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form with the switch of each dimension (contract O2)."""
        switches = {_switch(found): _switch_field(found, obj) for found in dimensions()}
        form = type("RepositoryForm", (self.form,), switches)
        return super().get_form(request, obj, change, **{"form": form, **kwargs})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Save the repository, and throw the switches that were changed."""
        super().save_model(request, obj, form, change)
        for found in dimensions():
            chosen = form.cleaned_data[_switch(found)]
            if chosen and chosen != obj.approval_of(found.name):
                set_approval(obj, found.name, ApprovalSwitch(chosen))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow the deletion of empty repositories only."""
        return super().has_delete_permission(request, obj) and (obj is None or not _holds_anything(obj))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "db_id":
            kwargs["widget"] = UnfoldAdminTextInputWidget
        return super().formfield_for_dbfield(db_field, request, **kwargs)


def _switch(dimension: Dimension) -> str:
    return f"approval_{dimension.name}"


def _switch_field(dimension: Dimension, repository: Repository | None) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=format_lazy("{elements}: {needs}", elements=capfirst(dimension.verbose_name_plural), needs=_NEEDS),
        choices=ApprovalSwitch.choices,
        required=False,  # a form without it leaves the switch as it is
        initial=ApprovalSwitch.NONE if repository is None else repository.approval_of(dimension.name),
        widget=UnfoldAdminSelectWidget,
        help_text=_HELP,
    )


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
