"""Imports accounts from a file."""

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.commands import ImportCommand


class Command(ImportCommand):
    help = "Imports accounts from a CSV, XLSX, JSON or NDJSON file; what export_accounts writes is read as it is."
    dimension = "account"
    model = Account
    wire = ACCOUNT_WIRE
