"""Export accounts to a file."""

from account.models import ACCOUNT
from bulkops.command_line.exporting import ExportCommand
from dimensions_site.text.files import Format


class Command(ExportCommand):
    help = f"Exports accounts as {Format.listed()}; import_accounts reads all of them again."
    dimension = ACCOUNT
