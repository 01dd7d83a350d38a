"""Distribute the tables of elements by repository with Citus."""

from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Model

from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.db.distribution import NotDistributable, distribute, undistribute
from dimensions_site.elements.dimension import dimensions


class Command(BaseCommand):
    help = (
        "Distributes the tables of elements, their history and their change sets over the workers of a Citus cluster, "
        "by repository. Stop all services first, and start them again afterwards."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--undo", action="store_true", help="take all rows back to the coordinator")

    def handle(self, *args: Any, **options: Any) -> None:
        move = undistribute if options["undo"] else distribute
        try:
            move(distributed_models(), self.stdout.write)
        except NotDistributable as error:
            raise CommandError(str(error)) from error


def distributed_models() -> list[type[Model]]:
    """Return the models whose tables are distributed: all of the dimensions' apps, and change sets with their slots."""
    of_dimensions = [apps.get_app_config(dimension.model._meta.app_label) for dimension in dimensions()]
    return [*(model for app in of_dimensions for model in app.get_models()), ChangeSet, Slot]
