from importlib import import_module

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _

from dimensions_site.repositories.cursors import close_failed_cursors


class RepositoriesConfig(AppConfig):
    name = "dimensions_site.repositories"
    label = "repositories"
    verbose_name = _("Repositories and access")

    def ready(self) -> None:
        """Register the pages of the admin that have modules of their own: Django looks for `admin` alone.

        And have each change of rights logged, and nothing left of statements that failed on SQLite.
        """
        connection_created.connect(close_failed_cursors, dispatch_uid="dimensions_site.repositories.cursors")
        for module in ("admin_keys", "admin_wrong_passwords", "audit"):
            import_module(f"dimensions_site.repositories.{module}")
