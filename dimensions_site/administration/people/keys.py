"""API keys in the admin, for superusers."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from dimensions_site.administration.base.bounded import SuperuserAdmin
from dimensions_site.administration.base.filters import PickedFilter
from dimensions_site.administration.base.values import when
from dimensions_site.repositories.models import ApiKey, Role


class ApiKeyForm(forms.ModelForm[ApiKey]):
    """A key and the limits that it adds to its user's rights."""

    def clean(self) -> dict[str, Any] | None:
        """Reject repositories without the mark `is_limited`: the key would open all of them."""
        cleaned = super().clean()
        if cleaned is not None and cleaned.get("repositories") and not cleaned.get("is_limited"):
            self.add_error(
                "is_limited",
                _("Repositories are named below, but the key would open all: set this mark, or name none."),
            )
        return cleaned


@admin.register(ApiKey)
class ApiKeyAdmin(SuperuserAdmin):
    form = ApiKeyForm
    list_display = [
        "name",
        "user",
        "allows_at_most",
        "prefix",
        "state",
        when("created", _("created")),
        when("expiry_date", _("expires")),
        when("last_used_at", _("last used")),
    ]
    list_filter = ["revoked", "role", "dimension", "is_limited", ("repositories", PickedFilter)]
    list_filter_submit = True
    list_select_related = ["user"]
    last_use = staticmethod(when("last_used_at", _("last used")))
    fieldsets = (
        (None, {"fields": ("name", "user", "expiry_date", "last_use", "revoked")}),
        (
            _("What it allows at most"),
            {
                "fields": ("role", "dimension", "is_limited", "repositories"),
                "description": _("A key narrows what the permissions of its user allow, and never widens it."),
            },
        ),
    )
    search_fields = ["name", "prefix", "user__username"]
    autocomplete_fields = ["user", "repositories"]
    radio_fields = {"role": admin.VERTICAL}
    actions = ["revoke"]

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "role":
            kwargs["choices"] = Role.explained_choices()
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return super().get_queryset(request).prefetch_related("repositories")

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> list[str]:
        """Make the user read-only for existing keys: whoever has the key would get another user's rights."""
        return ["last_use"] if obj is None else ["user", "last_use"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Show a new key once: only its hash is stored."""
        if not change:
            key = obj.assign_key()
            message = gettext("Copy the new API key now, it is not shown again: {key}")
            messages.warning(request, format_html(message, key=to_copy(key, gettext("Copy the API key"))))
        super().save_model(request, obj, form, change)

    @admin.display(description=_("allows at most"))
    def allows_at_most(self, obj: ApiKey) -> str:
        return obj.allows()

    @admin.display(description=_("state"))
    def state(self, obj: ApiKey) -> str:
        if obj.revoked:
            return str(_("revoked"))
        return str(_("expired") if obj.has_expired else _("valid"))

    @admin.action(description=_("Revoke the selected API keys"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """Reject the keys from now on; this cannot be undone."""
        revoked = list(queryset.filter(revoked=False))
        for key in revoked:
            key.revoked = True
            key.save(update_fields=["revoked"])
            self.log_change(request, key, "revoked")
        message = ngettext(
            "%(count)d API key is revoked; calls with it are refused from now on.",
            "%(count)d API keys are revoked; calls with them are refused from now on.",
            len(revoked),
        )
        messages.success(request, message % {"count": len(revoked)})


def to_copy(text: str, label: str) -> SafeString:
    """Return the text as HTML that the script of the page gives a button called `label`."""
    selected = gettext("Selected: copy it with Ctrl+C or ⌘C.")
    return format_html(
        '<code data-copy="{}" data-copied="{}" data-selected="{}">{}</code>', label, gettext("Copied"), selected, text
    )
