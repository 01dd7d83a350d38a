"""The entity element: a few fields of different kinds."""

from django.db import models

from dimensions_site.elements.models import Element, json_column
from dimensions_site.rsql.columns import CodePointTextField


class Method(models.TextChoices):
    """How an entity is consolidated."""

    FULL = "FULL"
    EQUITY = "EQUITY"


class Entity(Element):
    """One entity of the group; `parent_id` is the id of another."""

    method = CodePointTextField(choices=Method.choices)
    share = CodePointTextField(null=True)
    is_active = models.BooleanField(null=True)
    parent_id = CodePointTextField(null=True)
    currency = json_column(null=True)

    class Meta(Element.Meta):
        verbose_name = "entity"
        verbose_name_plural = "entities"
