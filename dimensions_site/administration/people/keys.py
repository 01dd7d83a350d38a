"""API keys, and if the mode is enabled OAuth2 applications and their tokens, for superusers (contract G1)."""

from operator import attrgetter
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import AccessToken, Grant, IDToken, RefreshToken, revoke_access_token

from dimensions_site.administration.base.bounded import LookOnlyMixin, SuperuserAdmin
from dimensions_site.administration.base.filters import PickedFilter
from dimensions_site.administration.base.values import column, when
from dimensions_site.administration.people.people import UserAdmin
from dimensions_site.repositories.models import ApiKey
from dimensions_site.tokens.ending import end_tokens
from dimensions_site.tokens.models import Application, IssuedToken


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
        column(_("allows at most"), ApiKey.allows),
        "prefix",
        "state",
        when("created", _("creation")),
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


# The libraries' pages would let people create tokens and codes, or show internal records. They are registered already,
# because these apps precede this one in INSTALLED_APPS.
admin.site.unregister([Application, AccessToken, Grant, IDToken, RefreshToken])


class ApplicationAdmin(SuperuserAdmin):
    list_display = ["name", "authorization_grant_type", "client_type", "user", "client_id"]
    list_filter = ["authorization_grant_type"]
    list_select_related = ["user"]
    search_fields = ["name", "client_id", "user__username"]
    autocomplete_fields = ["user"]
    actions = ["renew_secrets", "revoke_tokens"]

    def get_fields(self, request: HttpRequest, obj: Application | None = None) -> Any:
        """Show the client id once the application exists."""
        fields = ["name", "authorization_grant_type", "client_type", "user", "redirect_uris", "may_introspect"]
        return fields if obj is None else [*fields, "client_id"]

    def get_readonly_fields(self, request: HttpRequest, obj: Application | None = None) -> list[str]:
        """Make the client and its user read-only: whoever has the secret would get another application's rights."""
        return [] if obj is None else ["authorization_grant_type", "client_type", "user", "client_id"]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """List the applications, not each of their tokens, which are deleted with them."""
        return [str(application) for application in objs], {}, set(), []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Show the secret of a new application once: only its hash is stored."""
        secret = obj.client_secret
        super().save_model(request, obj, form, change)
        if not change:
            self._show_secret(request, obj, secret)

    @admin.action(description=_("Make new secrets for the selected applications"), permissions=["change"])
    def renew_secrets(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Reject the old secrets from now on; tokens obtained with them remain valid until they expire."""
        for application in queryset:
            application.client_secret = secret = generate_client_secret()
            application.save(update_fields=["client_secret", "updated"])
            self.log_change(request, application, "secret renewed")
            self._show_secret(request, application, secret)

    @admin.action(description=_("Revoke all tokens of the selected applications"), permissions=["change"])
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Reject their tokens from now on; the applications may obtain new ones."""
        held = list(AccessToken.objects.filter(application__in=queryset))
        _revoke(request, held)
        for application in queryset:
            self.log_change(request, application, "tokens revoked")

    def _show_secret(self, request: HttpRequest, application: Application, secret: str) -> None:
        if application.client_type == Application.CLIENT_PUBLIC:
            message = gettext("The client id of {name}; a public program has no secret: {id}")
        else:
            message = gettext("Copy the secret of {name} now, it is not shown again: {secret} Client id: {id}")
        shown = {
            "id": to_copy(application.client_id, gettext("Copy the client id")),
            "secret": to_copy(secret, gettext("Copy the secret")),
        }
        messages.warning(request, format_html(message, name=application.name, **shown))


class IssuedTokenAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = [
        "application",
        "user",
        column(_("scopes"), attrgetter("scope"), "scope"),
        when("created", _("creation")),
        when("expires", _("expires")),
    ]
    list_display_links = None
    list_filter = ["application"]
    list_select_related = ["user", "application"]
    search_fields = ["application__name", "user__username"]
    exclude = ["token", "token_checksum", "id_token", "source_refresh_token", "resource"]
    actions = ["revoke"]

    @admin.action(description=_("Revoke the selected tokens"), permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[IssuedToken]) -> None:
        """Reject the tokens and their refresh tokens from now on; this cannot be undone."""
        _revoke(request, list(queryset))


def _revoke(request: HttpRequest, held: list[Any]) -> None:
    for token in held:
        revoke_access_token(token)
    message = ngettext(
        "%(count)d token is revoked; calls with it are refused from now on.",
        "%(count)d tokens are revoked; calls with them are refused from now on.",
        len(held),
    )
    messages.success(request, message % {"count": len(held)})


@admin.action(description=_("End all tokens of the selected users"), permissions=["change"])
def end_tokens_of_users(page: Any, request: HttpRequest, queryset: QuerySet[User]) -> None:
    """Reject the users' tokens from now on, for example after the loss of a laptop; the users may obtain new ones."""
    for user in queryset:
        end_tokens(user)
        page.log_change(request, user, "tokens ended")
    message = ngettext(
        "All tokens of %(count)d user are ended; calls with them are refused from now on.",
        "All tokens of %(count)d users are ended; calls with them are refused from now on.",
        len(queryset),
    )
    messages.success(request, message % {"count": len(queryset)})


if {"jwt", "oauth2"} & set(settings.API_AUTHENTICATION):
    _users: Any = UserAdmin
    _users.actions = [*_users.actions, end_tokens_of_users]
if "oauth2" in settings.API_AUTHENTICATION:
    admin.site.register(Application, ApplicationAdmin)
    admin.site.register(IssuedToken, IssuedTokenAdmin)
