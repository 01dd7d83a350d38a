"""Import currencies from a file."""

from bulkops.command_line.importing import ImportCommand
from currency.models import CURRENCY
from dimensions_site.text.files import Format


class Command(ImportCommand):
    help = f"Imports currencies from a {Format.listed()} file; a file from export_currencies can be imported unchanged."
    dimension = CURRENCY
