"""Set what needs the approval of a second person."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dimensions_site.changes.requirements import set_approval
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.dimensions import ALL, dimension_names
from dimensions_site.repositories.models import ApprovalSwitch


class Command(BaseCommand):
    help = "Sets which changes of a dimension need the approval of a second person: none, deletions, or all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="REPOSITORY")
        parser.add_argument("dimension", choices=[*dimension_names(), ALL])
        parser.add_argument("approval", choices=ApprovalSwitch.values)

    def handle(self, *args: Any, **options: Any) -> None:
        repository, switch = find_repository(options["db_id"]), ApprovalSwitch(options["approval"])
        for dimension in dimension_names() if options["dimension"] == ALL else [options["dimension"]]:
            set_approval(repository, dimension, switch)
            self.stdout.write(f"Approval in {repository.db_id}, {dimension}: {switch}.")
