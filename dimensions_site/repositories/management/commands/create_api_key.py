"""Makes an API key for a user."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from dimensions_site.repositories.arguments import find_user
from dimensions_site.repositories.models import ApiKey


class Command(BaseCommand):
    help = "Makes an API key for a user. The key is printed once, alone on the last line; only its hash is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--name", required=True, help="what the key is for")
        parser.add_argument("--expires-days", type=int, metavar="N", help="valid for N days; for good when left out")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["username"])
        days: int | None = options["expires_days"]
        if days is not None and not 1 <= days <= 36500:
            raise CommandError(f"--expires-days {days} does not fit; it is a number of days from 1 to 36500.")
        if not 1 <= len(options["name"]) <= 50:
            raise CommandError("--name takes a name of 1 to 50 characters.")
        expiry = None if days is None else timezone.now() + timedelta(days=days)
        _, key = ApiKey.objects.create_key(user=user, name=options["name"], expiry_date=expiry)
        self.stdout.write(f"API key '{options['name']}' of {user.get_username()}; keep it, it is not shown again:")
        self.stdout.write(key)
