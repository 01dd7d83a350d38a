"""Entities in the admin."""

from django.contrib import admin

from dimensions_site.administration.dimension import DimensionAdmin
from tests.entity.models import ENTITY, Entity


@admin.register(Entity)
class EntityAdmin(DimensionAdmin):
    dimension = ENTITY
    icon = "domain"
    listed = ("method", "parent.id")
