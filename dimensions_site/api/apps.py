from importlib import import_module

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "dimensions_site.api"
    label = "api"

    def ready(self) -> None:
        """Observe every request."""
        import_module("dimensions_site.api.observed_requests")
