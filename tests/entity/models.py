"""The entity element: a few fields of different kinds."""

from typing import ClassVar

from dimensions_site.elements.declaration.indexes import reference_indexes
from dimensions_site.elements.declaration.wire import declared_columns
from dimensions_site.elements.dimension import Dimension, register_dimension
from dimensions_site.elements.models import Element, Version
from tests.entity.serializers import ENTITY_WIRE


@declared_columns(ENTITY_WIRE)
class EntityVersion(Version):
    """A version of an entity."""

    class Meta(Version.Meta):
        pass


@declared_columns(ENTITY_WIRE)
class Entity(Element):
    """One entity of the group."""

    version_model: ClassVar[type[Version]] = EntityVersion

    class Meta(Element.Meta):
        verbose_name = "entity"
        verbose_name_plural = "entities"
        indexes = reference_indexes("entity", ENTITY_WIRE)


ENTITY = Dimension("entity", Entity, ENTITY_WIRE, summary="Entities with their parent and their share of it.")
register_dimension(ENTITY)
