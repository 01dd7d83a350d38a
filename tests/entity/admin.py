"""Entities in the admin."""

from django.contrib import admin

from bulkops.admin.deleting import DeletionActionMixin
from bulkops.admin.exporting import ExportMixin
from bulkops.admin.importing import ImportButtonMixin
from dimensions_site.elements.admin.element import ElementAdmin
from tests.entity.dimension import ENTITY
from tests.entity.models import Entity


@admin.register(Entity)
class EntityAdmin(DeletionActionMixin, ImportButtonMixin, ExportMixin, ElementAdmin):
    dimension = ENTITY
    icon = "domain"
    actions = ["export_elements", "delete_elements"]
    actions_list = ["import_file", "export_file"]
    listed = {"method": "method", "parent.id": "parent"}
