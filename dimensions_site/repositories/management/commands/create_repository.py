"""Create a repository."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from dimensions_site.repositories.arguments import check_new
from dimensions_site.repositories.models import Repository


class Command(BaseCommand):
    help = "Creates a repository, the database that {dbID} addresses."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="letters, digits, _ . - (at most 64)")
        parser.add_argument("--name", required=True, help="the name that people see")
        parser.add_argument("--language", default="en", help="the default language, such as en or de-CH")

    @transaction.atomic  # together with the record of the change
    def handle(self, *args: Any, **options: Any) -> None:
        repository = Repository(db_id=options["db_id"], name=options["name"], default_language=options["language"])
        arguments = {"db_id": "DBID", "name": "--name", "default_language": "--language"}
        check_new(repository, arguments, taken=f"There is already a repository '{repository.db_id}'.")
        repository.save()
        self.stdout.write(f"Created repository {repository}.")
