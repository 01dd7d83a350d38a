from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TokensConfig(AppConfig):
    name = "dimensions_site.tokens"
    label = "tokens"
    verbose_name = _("Applications and tokens")

    def ready(self) -> None:
        """Log changes of applications, end the tokens of deactivated users, and document the security schemes."""
        from dimensions_site.repositories.audit import watch
        from dimensions_site.tokens import ending, openapi
        from dimensions_site.tokens.models import Application, ProviderAccount, ProviderGroup

        watch(
            Application,
            "application",
            {
                "application": lambda application: application.name,
                "client_id": lambda application: application.client_id,
                "user": lambda application: application.user and application.user.get_username(),
                "grant_type": lambda application: application.authorization_grant_type,
                "client_type": lambda application: application.client_type,
                "redirect_uris": lambda application: application.redirect_uris,
                "may_introspect": lambda application: application.may_introspect,
            },
            secrets=("client_secret",),
        )
        watch(
            ProviderAccount,
            "provider_account",
            {
                "user": lambda account: account.user.get_username(),
                "issuer": lambda account: account.issuer,
                "subject": lambda account: account.subject,
            },
        )
        watch(ProviderGroup, "provider_group", {"group": lambda row: row.group.name, "name": lambda row: row.name})
