"""The grants of a repository, a user or a group on its page, with what each role permits."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet

from dimensions_site.repositories.models import AccessGrant, Role

_PARTIES = ("repository_id", "user_id", "group_id", "dimension")


class GrantFormSet(PaginationInlineFormSet):
    """The rows of grants, of which no two are for the same."""

    def clean(self) -> None:
        """Reject a second row for the same: the database would, without a message."""
        super().clean()
        seen: set[tuple[Any, ...]] = set()
        for form in self.forms:
            given = getattr(form, "cleaned_data", {})
            if form.errors or not given or given.get("DELETE") or (not form.has_changed() and not form.instance.pk):
                continue
            parties = tuple(getattr(form.instance, name) for name in _PARTIES)
            if parties in seen:
                form.add_error(
                    None, ValidationError(_("This repeats a permission above: change that one, or remove this."))
                )
            seen.add(parties)


class GrantInline(TabularInline):
    """The grants of a repository, a user or a group, on its page."""

    model = AccessGrant
    formset = GrantFormSet
    extra = 0
    autocomplete_fields = ["repository", "user", "group"]
    verbose_name = _("permission")
    verbose_name_plural = _("permissions")
    template_before = "admin/roles.html"
    # For that template.
    roles = Role

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Label each field itself: screen readers do not read the heading of its column to keyboard users."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.widget.attrs["aria-label"] = field.label
        return field


class GrantOfUserInline(GrantInline):
    exclude = ["group"]

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        """Offer an empty row for a new user; if it stays empty, it adds no grant."""
        return 1 if obj is None else 0


class GrantOfGroupInline(GrantOfUserInline):
    exclude = ["user"]
