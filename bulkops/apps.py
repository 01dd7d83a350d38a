import sys
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning, register
from django.utils.translation import gettext_lazy as _

HAS_LIMITS = sys.platform == "linux"

_NO_LIMITS = Warning(
    "This system does not limit the memory of the process that reads an uploaded file.",
    hint="Run the service on Linux. Elsewhere only the time is limited (IMPORT_PREVIEW_SECONDS, IMPORT_READ_SECONDS).",
    id="bulkops.W001",
)


@register()
def check_limits(**_arguments: Any) -> list[CheckMessage]:
    """Warn where IMPORT_READ_MEMORY has no effect."""
    return [] if HAS_LIMITS else [_NO_LIMITS]


class BulkopsConfig(AppConfig):
    name = "bulkops"
    verbose_name = _("Bulk operations")
