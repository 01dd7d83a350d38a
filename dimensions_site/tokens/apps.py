from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TokensConfig(AppConfig):
    name = "dimensions_site.tokens"
    label = "tokens"
    verbose_name = _("Applications and tokens")

    def ready(self) -> None:
        """Log changes of applications, end the tokens of deactivated users, and document the security schemes."""
        from dimensions_site.tokens import audit, ending, openapi
