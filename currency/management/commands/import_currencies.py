"""Imports currencies from a file."""

from bulkops.commands import ImportCommand
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE


class Command(ImportCommand):
    help = "Imports currencies from a CSV, XLSX, JSON or NDJSON file; what export_currencies writes is read as it is."
    dimension = "currency"
    model = Currency
    wire = CURRENCY_WIRE
