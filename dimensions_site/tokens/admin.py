"""Applications of OAuth2 and the tokens that they hold, for superusers, while the mode is on (contract G1)."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import AccessToken, Grant, IDToken, RefreshToken, revoke_access_token
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken

from dimensions_site.repositories.admin import LookOnlyMixin, SuperuserAdmin
from dimensions_site.repositories.admin_columns import when
from dimensions_site.tokens.ending import end_tokens
from dimensions_site.tokens.models import Application, IssuedToken

# The libraries' pages let people make tokens and codes, or show what only the service needs. They are registered by
# now, for the libraries stand before this app in INSTALLED_APPS.
for _model in (Application, AccessToken, Grant, IDToken, RefreshToken, OutstandingToken, BlacklistedToken):
    admin.site.unregister(_model)


class ApplicationAdmin(SuperuserAdmin):
    list_display = ["name", "authorization_grant_type", "client_type", "user", "client_id"]
    list_filter = ["authorization_grant_type"]
    list_select_related = ["user"]
    search_fields = ["name", "client_id", "user__username"]
    autocomplete_fields = ["user"]
    actions = ["renew_secrets", "revoke_tokens"]

    def get_fields(self, request: HttpRequest, obj: Application | None = None) -> Any:
        """What names the application to others is there once it is made."""
        fields = ["name", "authorization_grant_type", "client_type", "user", "redirect_uris", "may_introspect"]
        return fields if obj is None else [*fields, "client_id"]

    def get_readonly_fields(self, request: HttpRequest, obj: Application | None = None) -> list[str]:
        """Whoever has the secret goes on with it, so the application cannot become another one."""
        return [] if obj is None else ["authorization_grant_type", "client_type", "user", "client_id"]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name the applications, not each of their tokens, which are deleted with them."""
        return [str(application) for application in objs], {}, set(), []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Show the secret of a new application once: only its hash is stored."""
        secret = obj.client_secret
        super().save_model(request, obj, form, change)
        if not change:
            self._tell(request, obj, secret)

    @admin.action(description=_("Make new secrets for the selected applications"), permissions=["change"])
    def renew_secrets(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Refuse the old secrets from now on; the tokens that were got with them stay until they expire."""
        for application in queryset:
            application.client_secret = secret = generate_client_secret()
            application.save(update_fields=["client_secret", "updated"])
            self.log_change(request, application, "secret renewed")
            self._tell(request, application, secret)

    @admin.action(description=_("Revoke all tokens of the selected applications"), permissions=["change"])
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Refuse their tokens from now on; the applications may get new ones."""
        held = list(AccessToken.objects.filter(application__in=queryset))
        _revoke(request, held)
        for application in queryset:
            self.log_change(request, application, "tokens revoked")

    def _tell(self, request: HttpRequest, application: Application, secret: str) -> None:
        if application.client_type == Application.CLIENT_PUBLIC:
            told = _("The client id of %(name)s is %(id)s; a public program has no secret.")
        else:
            told = _("The client id of %(name)s is %(id)s, its secret %(secret)s – copy it now, it is not shown again.")
        words = {"name": application.name, "id": application.client_id, "secret": secret}
        messages.warning(request, told % words)


class IssuedTokenAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = [
        "application",
        "user",
        "rights",
        when("created", _("created (UTC)")),
        when("expires", _("expires (UTC)")),
    ]
    list_display_links = None
    list_filter = ["application"]
    list_select_related = ["user", "application"]
    search_fields = ["application__name", "user__username"]
    exclude = ["token", "token_checksum", "id_token", "source_refresh_token", "resource"]
    actions = ["revoke"]

    @admin.display(description=_("scopes"), ordering="scope")
    def rights(self, obj: IssuedToken) -> str:
        """What the token allows at most."""
        return str(obj.scope)

    @admin.action(description=_("Revoke the selected tokens"), permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[IssuedToken]) -> None:
        """Refuse them and their refresh tokens from now on, for good."""
        _revoke(request, list(queryset))


def _revoke(request: HttpRequest, held: list[Any]) -> None:
    for token in held:
        revoke_access_token(token)
    told = ngettext(
        "%(count)d token is revoked; calls with it are refused from now on.",
        "%(count)d tokens are revoked; calls with them are refused from now on.",
        len(held),
    )
    messages.success(request, told % {"count": len(held)})


@admin.action(description=_("End all tokens of the selected users"), permissions=["change"])
def end_tokens_of_users(page: Any, request: HttpRequest, queryset: QuerySet[User]) -> None:
    """Refuse them from now on, for good, as for a laptop that is lost; the users may get new ones."""
    for user in queryset:
        end_tokens(user)
        page.log_change(request, user, "tokens ended")
    told = ngettext(
        "All tokens of %(count)d user are ended; calls with them are refused from now on.",
        "All tokens of %(count)d users are ended; calls with them are refused from now on.",
        len(queryset),
    )
    messages.success(request, told % {"count": len(queryset)})


if {"jwt", "oauth2"} & set(settings.API_AUTHENTICATION):
    _users: Any = admin.site.get_model_admin(User)
    _users.actions = [*_users.actions, end_tokens_of_users]
if "oauth2" in settings.API_AUTHENTICATION:
    admin.site.register(Application, ApplicationAdmin)
    admin.site.register(IssuedToken, IssuedTokenAdmin)
