from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "dimensions_site.demo"
    label = "demo"
