"""Exports accounts to a file."""

from account.views import AccountViewSet
from bulkops.export_commands import ExportCommand


class Command(ExportCommand):
    help = "Exports accounts as CSV, XLSX, JSON or NDJSON; import_accounts reads all of them again."
    viewset = AccountViewSet
