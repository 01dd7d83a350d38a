"""Imports entities from a file."""

from bulkops.command_line.importing import ImportCommand
from tests.entity.dimension import ENTITY


class Command(ImportCommand):
    help = "Imports entities."
    dimension = ENTITY
