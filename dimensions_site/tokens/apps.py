from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TokensConfig(AppConfig):
    name = "dimensions_site.tokens"
    label = "tokens"
    verbose_name = _("Applications and tokens")

    def ready(self) -> None:
        """Have each change of an application logged, and the tokens of a user ended who is deactivated."""
        for module in ("audit", "deactivation"):
            import_module(f"dimensions_site.tokens.{module}")
