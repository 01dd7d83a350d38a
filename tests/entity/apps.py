from django.apps import AppConfig


class EntityConfig(AppConfig):
    name = "tests.entity"
    verbose_name = "Entity"

    def ready(self) -> None:
        from dimensions_site.elements.dimension import register
        from tests.entity.dimension import ENTITY

        register(ENTITY)
