from django.apps import AppConfig


class SavedViewsConfig(AppConfig):
    name = "dimensions_site.saved_views"
    label = "saved_views"
