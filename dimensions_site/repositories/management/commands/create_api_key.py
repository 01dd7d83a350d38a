"""Create an API key for a user."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from dimensions_site.repositories.arguments import ROLE_BY_NAME, find_repository, find_user
from dimensions_site.repositories.dimensions import ALL, dimension_names
from dimensions_site.repositories.models import ApiKey, Role


class Command(BaseCommand):
    help = "Creates an API key for a user. The key is printed once, alone on the last line; only its hash is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--name", required=True, help="what the key is for")
        parser.add_argument("--expires-days", type=int, metavar="N", help="days until it expires; by default never")
        parser.add_argument(
            "--role",
            choices=ROLE_BY_NAME,
            default=Role.MANAGER.label,
            help="the highest role of the key, within the grants of the user; by default all that they allow",
        )
        parser.add_argument(
            "--dimension", choices=dimension_names(), default=ALL, help="only for this dimension; by default for all"
        )
        parser.add_argument(
            "--repository",
            dest="repositories",
            metavar="DBID",
            action="append",
            default=[],
            help="only for this repository, may be repeated; by default for all that the user has access to",
        )

    @transaction.atomic  # the key, its repositories and the record of the change
    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["username"], may_be_new=True)
        repositories = [find_repository(db_id) for db_id in options["repositories"]]
        days: int | None = options["expires_days"]
        if days is not None and not 1 <= days <= 36500:
            raise CommandError(f"--expires-days {days} is invalid; it must be a number of days from 1 to 36500.")
        if not 1 <= len(options["name"]) <= 50:
            raise CommandError("--name must have 1 to 50 characters.")
        expiry = None if days is None else timezone.now() + timedelta(days=days)
        api_key, key = ApiKey.objects.create_key(
            user=user,
            name=options["name"],
            expiry_date=expiry,
            role=ROLE_BY_NAME[options["role"]],
            dimension=options["dimension"],
            is_limited=bool(repositories),
        )
        api_key.repositories.set(repositories)
        self.stdout.write(f"API key '{api_key.name}' of {user.get_username()}; keep it, it is not shown again:")
        self.stdout.write(key)
