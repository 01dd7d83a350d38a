"""The app whose migrations number the releases, so that the database knows its own (contract P3)."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "dimensions_site.db"
    label = "releases"
