"""Exports currencies to a file."""

from bulkops.export_commands import ExportCommand
from currency.views import CurrencyViewSet


class Command(ExportCommand):
    help = "Exports currencies as CSV, XLSX, JSON or NDJSON; import_currencies reads all of them again."
    viewset = CurrencyViewSet
