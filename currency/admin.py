"""Currencies in the admin."""

from django.contrib import admin

from bulkops.admin.deleting import DeletionActionMixin
from bulkops.admin.exporting import ExportMixin
from bulkops.admin.imports.wizard import ImportButtonMixin
from bulkops.admin.plans.bringing_over import BringOverMixin
from bulkops.admin.plans.changing import ChangeActionMixin
from bulkops.admin.tables.page import TableMixin
from currency.dimension import CURRENCY
from currency.models import Currency
from dimensions_site.elements.admin.element import ElementAdmin


@admin.register(Currency)
class CurrencyAdmin(
    ChangeActionMixin,
    TableMixin,
    DeletionActionMixin,
    ImportButtonMixin,
    ExportMixin,
    BringOverMixin,
    ElementAdmin,
):
    dimension = CURRENCY
    icon = "payments"
    actions = ["export_elements", "change_elements", "edit_elements", "delete_elements"]
    actions_list = ["edit_table", "import_file", "export_file"]
    listed = ("decimalNumbers", "percentageDifference", "referenceCurrency.id", "preferred")
