"""Import accounts from a file."""

from account.models import ACCOUNT
from bulkops.command_line.importing import ImportCommand
from dimensions_site.text.files import Format


class Command(ImportCommand):
    help = f"Imports accounts from a {Format.listed()} file; a file from export_accounts can be imported unchanged."
    dimension = ACCOUNT
