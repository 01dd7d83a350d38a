from django.apps import AppConfig


class RepositoriesConfig(AppConfig):
    name = "dimensions_site.repositories"
    label = "repositories"
    verbose_name = "Repositories and access"
