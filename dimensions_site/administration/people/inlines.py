"""Rows on the pages of repositories, users and groups: grants, and links with the OpenID provider (contract G2, N2)."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet

from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.tokens.models import ProviderAccount, ProviderGroup
from dimensions_site.tokens.openid.provider import provider

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


class _LabelledInline(TabularInline):
    extra = 0

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Label each field itself: screen readers do not read the heading of its column to keyboard users."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.widget.attrs["aria-label"] = field.label
        return field


class GrantInline(_LabelledInline):
    """The grants of a repository, with what each role permits."""

    model = AccessGrant
    formset = GrantFormSet
    autocomplete_fields = ["repository", "user", "group"]
    verbose_name = _("permission")
    verbose_name_plural = _("permissions")
    template_before = "admin/roles.html"
    # For that template.
    roles = Role


class GrantOfUserInline(GrantInline):
    exclude = ["group"]

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        """Offer an empty row for a new user; if it stays empty, it adds no grant."""
        return 1 if obj is None else 0


class GrantOfGroupInline(GrantOfUserInline):
    exclude = ["user"]


class ProviderAccountInline(_LabelledInline):
    """The accounts of a user at the provider; a new row lets an existing user sign in there."""

    model = ProviderAccount

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Suggest the provider of the settings."""
        formset = super().get_formset(request, obj, **kwargs)
        formset.form.base_fields["issuer"].initial = provider().setting.issuer
        return formset


class ProviderGroupInline(_LabelledInline):
    """The names of a group at the provider."""

    model = ProviderGroup


def with_links(inlines: list[type[Any]], link: type[TabularInline]) -> list[type[Any]]:
    """Return the inlines of a page, with `link` if there is a provider."""
    return inlines if settings.OPENID_PROVIDER is None else [*inlines, link]
