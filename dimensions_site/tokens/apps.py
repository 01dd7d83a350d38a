from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TokensConfig(AppConfig):
    name = "dimensions_site.tokens"
    label = "tokens"
    verbose_name = _("Applications and tokens")

    def ready(self) -> None:
        """Log changes of applications, end the tokens of deactivated users, and document the security schemes."""
        from dimensions_site.repositories.audit import watch
        from dimensions_site.tokens import bearer, ending
        from dimensions_site.tokens.models import Application, ProviderAccount, ProviderGroup

        fields = "application:name client_id user:user.username grant_type:authorization_grant_type client_type"
        watch(Application, "application", f"{fields} redirect_uris may_introspect", secrets=("client_secret",))
        watch(ProviderAccount, "provider_account", "user:user.username issuer subject")
        watch(ProviderGroup, "provider_group", "group:group.name name")
