"""Exports entities to a file."""

from bulkops.command_line.exporting import ExportCommand
from tests.entity.models import ENTITY


class Command(ExportCommand):
    help = "Exports entities."
    dimension = ENTITY
