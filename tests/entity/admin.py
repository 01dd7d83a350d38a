"""Entities in the admin."""

from django.contrib import admin

from bulkops.admin.deleting import DeletionActionMixin
from bulkops.admin.exporting import ExportMixin
from bulkops.admin.imports.wizard import ImportButtonMixin
from bulkops.admin.plans.bringing_over import BringOverMixin
from bulkops.admin.plans.changing import ChangeActionMixin
from dimensions_site.elements.admin.element import ElementAdmin
from tests.entity.dimension import ENTITY
from tests.entity.models import Entity


@admin.register(Entity)
class EntityAdmin(ChangeActionMixin, DeletionActionMixin, ImportButtonMixin, ExportMixin, BringOverMixin, ElementAdmin):
    dimension = ENTITY
    icon = "domain"
    actions = ["export_elements", "change_elements", "delete_elements"]
    actions_list = ["import_file", "export_file"]
    listed = ("method", "parent.id")
