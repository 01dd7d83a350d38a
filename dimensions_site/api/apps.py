from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "dimensions_site.api"
    label = "api"

    def ready(self) -> None:
        from dimensions_site.api.middleware import observed_requests
