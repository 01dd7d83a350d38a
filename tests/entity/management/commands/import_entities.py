"""Imports entities from a file."""

from bulkops.command_line.importing import ImportCommand
from tests.entity.models import ENTITY


class Command(ImportCommand):
    help = "Imports entities."
    dimension = ENTITY
