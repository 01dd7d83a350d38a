from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RepositoriesConfig(AppConfig):
    name = "dimensions_site.repositories"
    label = "repositories"
    verbose_name = _("Repositories and access")

    def ready(self) -> None:
        from dimensions_site.repositories import audit
        from dimensions_site.repositories.login import sessions
