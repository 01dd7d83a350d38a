"""Give a user a role in a repository."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from dimensions_site.repositories.arguments import ROLE_BY_NAME, find_repository, find_user
from dimensions_site.repositories.dimensions import ALL, dimension_names
from dimensions_site.repositories.models import AccessGrant


class Command(BaseCommand):
    help = "Gives a user a role in a repository; an earlier role for the same dimension is replaced."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("db_id", metavar="DBID")
        parser.add_argument("role", choices=ROLE_BY_NAME)
        parser.add_argument(
            "--dimension", choices=dimension_names(), default=ALL, help="only for this dimension; by default for all"
        )

    @transaction.atomic  # together with the record of the change
    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["username"], may_be_new=True)
        repository = find_repository(options["db_id"])
        grant, _ = AccessGrant.objects.update_or_create(
            user=user,
            repository=repository,
            dimension=options["dimension"],
            defaults={"role": ROLE_BY_NAME[options["role"]]},
        )
        self.stdout.write(f"Granted: {grant}.")
