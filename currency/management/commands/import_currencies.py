"""Imports currencies from a CSV file."""

from bulkops.commands import ImportCommand
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE


class Command(ImportCommand):
    help = "Imports currencies from a CSV file whose headings are wire paths; all rows are saved, or none."
    model = Currency
    wire = CURRENCY_WIRE
