from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BulkopsConfig(AppConfig):
    name = "bulkops"
    verbose_name = _("Bulk operations")

    def ready(self) -> None:
        """Register the pages of the admin: Django looks for them in `bulkops.admin` alone, which is a package."""
        for pages in ("processings", "importing"):
            import_module(f"bulkops.admin.{pages}")
