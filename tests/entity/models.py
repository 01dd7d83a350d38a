"""The entity element: a few fields of different kinds."""

from typing import ClassVar

from django.db import models

from dimensions_site.elements.declaration.indexes import reference_indexes
from dimensions_site.elements.models import Element, ElementColumns, Version, json_column
from dimensions_site.rsql.columns import CodePointTextField
from tests.entity.choices import Method
from tests.entity.serializers import ENTITY_WIRE


class EntityColumns(ElementColumns):
    """The columns of an entity; `parent_id` is the id of another."""

    method = CodePointTextField(choices=Method.choices)
    share = CodePointTextField(null=True)
    is_active = models.BooleanField(null=True)
    parent_id = CodePointTextField(null=True)
    currency = json_column(null=True)

    class Meta:
        abstract = True


class EntityVersion(Version, EntityColumns):
    """A version of an entity."""

    class Meta(Version.Meta):
        pass


class Entity(EntityColumns, Element):
    """One entity of the group."""

    version_model: ClassVar[type[Version]] = EntityVersion

    class Meta(Element.Meta):
        verbose_name = "entity"
        verbose_name_plural = "entities"
        indexes = reference_indexes("entity", ENTITY_WIRE)
