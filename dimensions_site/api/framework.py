"""How Django REST framework and drf-spectacular serve the REST API.

`settings.py` reads this module, so nothing here may import Django's models or REST framework.
"""

from collections.abc import Sequence
from typing import Any

from dimensions_site.api.authentication_modes import authentication_classes


def rest_framework(modes: Sequence[str]) -> dict[str, Any]:
    """The settings of Django REST framework with these modes of authentication (contract G1)."""
    return {
        "DEFAULT_AUTHENTICATION_CLASSES": authentication_classes(modes),
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_THROTTLE_CLASSES": ["dimensions_site.api.throttling.CallThrottle"],
        "DEFAULT_PARSER_CLASSES": ["dimensions_site.api.parsers.StrictJSONParser"],
        "DEFAULT_RENDERER_CLASSES": ["dimensions_site.api.rendering.JSONRenderer"],
        "DEFAULT_SCHEMA_CLASS": "dimensions_site.elements.operations.ElementSchema",
        "EXCEPTION_HANDLER": "dimensions_site.api.errors.exception_handler",
        "URL_FORMAT_OVERRIDE": None,
    }


def spectacular(url_prefix: str) -> dict[str, Any]:
    """The settings of drf-spectacular for a service that is shown under that path, or under none."""
    return {
        # Its check would make one document of all addresses; ours are two, of the canonical ones, and tested.
        "ENABLE_DJANGO_DEPLOY_CHECK": False,
        "OAS_VERSION": "3.0.3",
        # The default hook gives names to enums that it guesses from their values.
        "POSTPROCESSING_HOOKS": [],
        "SERVERS": [{"url": url_prefix}] if url_prefix else [],
    }
