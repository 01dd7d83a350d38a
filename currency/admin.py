"""Currencies in the admin."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from bulkops.admin.deleting import DeletionActionMixin
from bulkops.admin.exporting import ExportMixin
from bulkops.admin.importing import ImportButtonMixin
from currency.dimension import CURRENCY
from currency.models import Currency
from dimensions_site.elements.admin.element import ElementAdmin


@admin.register(Currency)
class CurrencyAdmin(DeletionActionMixin, ImportButtonMixin, ExportMixin, ElementAdmin):
    dimension = CURRENCY
    icon = "payments"
    actions = ["export_elements", "delete_elements"]
    actions_list = ["import_file", "export_file"]
    listed = {
        "decimalNumbers": _("decimals"),
        "percentageDifference": _("percentage difference"),
        "referenceCurrency.id": _("reference currency"),
        "preferred": "preferred",
    }
