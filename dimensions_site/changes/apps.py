from django.apps import AppConfig


class ChangesConfig(AppConfig):
    name = "dimensions_site.changes"
    label = "changes"
