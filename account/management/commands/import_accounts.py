"""Imports accounts from a CSV file."""

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.commands import ImportCommand


class Command(ImportCommand):
    help = "Imports accounts from a CSV file whose headings are wire paths; all rows are saved, or none."
    model = Account
    wire = ACCOUNT_WIRE
