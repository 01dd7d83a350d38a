"""Gives a user a role in a repository."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dimensions_site.repositories.models import AccessGrant, Dimension, Repository, Role

ROLES = {role.label: role for role in Role}


class Command(BaseCommand):
    help = "Gives a user a role in a repository; an earlier role for the same dimension is replaced."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("db_id", metavar="DBID")
        parser.add_argument("role", choices=ROLES)
        parser.add_argument(
            "--dimension",
            choices=[dimension.value for dimension in Dimension if dimension != Dimension.ALL],
            default=Dimension.ALL.value,
            help="only for this dimension; all dimensions when left out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no user '{options['username']}'.")
        repository = Repository.objects.filter(db_id=options["db_id"]).first()
        if repository is None:
            raise CommandError(f"There is no repository '{options['db_id']}'.")
        grant, _ = AccessGrant.objects.update_or_create(
            user=user,
            repository=repository,
            dimension=options["dimension"],
            defaults={"role": ROLES[options["role"]]},
        )
        self.stdout.write(f"Granted: {grant}.")
