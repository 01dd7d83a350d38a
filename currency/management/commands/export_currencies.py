"""Export currencies to a file."""

from bulkops.command_line.exporting import ExportCommand
from currency.models import CURRENCY
from dimensions_site.text.files import Format


class Command(ExportCommand):
    help = f"Exports currencies as {Format.listed()}; import_currencies reads all of them again."
    dimension = CURRENCY
