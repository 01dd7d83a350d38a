from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BulkopsConfig(AppConfig):
    name = "bulkops"
    verbose_name = _("Bulk operations")

    def ready(self) -> None:
        """Register the system checks and the admin pages, which Django looks for in `bulkops.admin` only."""
        from bulkops import checks
        from bulkops.admin import activity, deletions, workers
        from bulkops.admin.imports import wizard
        from bulkops.admin.plans import pages
