"""Unlocks user names after too many wrong passwords."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dimensions_site.api.access.throttling import counted_address
from dimensions_site.repositories.login.lockout import comparable_name, unlock, with_failures


class Command(BaseCommand):
    help = "Unlocks user names after too many wrong passwords: all, those at an address, or one, however it is spelled."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME", nargs="?", help="by default all user names")
        parser.add_argument("--address", help="only at this address; by default everywhere")

    def handle(self, *args: Any, **options: Any) -> None:
        records = with_failures()
        if options["username"] is not None:
            records = records.filter(name=comparable_name(options["username"]))
        if options["address"] is not None:
            records = records.filter(address=counted_address(options["address"]))
        self.stdout.write(f"Failures reset: {unlock(records)}.")
