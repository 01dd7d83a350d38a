"""Creates a repository."""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dimensions_site.repositories.models import Repository


class Command(BaseCommand):
    help = "Creates a repository, the database that {dbID} addresses."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="letters, digits, _ . - (at most 64)")
        parser.add_argument("--name", required=True, help="the name that people see")
        parser.add_argument("--language", default="en", help="the default language, such as en or de-CH")

    def handle(self, *args: Any, **options: Any) -> None:
        repository = Repository(db_id=options["db_id"], name=options["name"], default_language=options["language"])
        try:
            repository.full_clean()
        except ValidationError as error:
            raise CommandError("\n".join(_lines(error, options))) from None
        repository.save()
        self.stdout.write(f"Created repository {repository}.")


def _lines(error: ValidationError, options: dict[str, Any]) -> Iterator[str]:
    """What is wrong with each argument, with its value."""
    arguments = {"db_id": ("DBID", "db_id"), "name": ("--name", "name"), "default_language": ("--language", "language")}
    for field, messages in error.message_dict.items():
        argument, option = arguments[field]
        yield f"{argument} '{options[option]}' does not fit: {' '.join(messages)}"
