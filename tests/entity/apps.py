from django.apps import AppConfig


class EntityConfig(AppConfig):
    name = "tests.entity"
    verbose_name = "Entity"
