"""End all tokens of a user."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dimensions_site.repositories.arguments import find_user
from dimensions_site.tokens.ending import end_tokens


class Command(BaseCommand):
    help = (
        "Ends all tokens of a user for good: JSON Web Tokens, tokens of OAuth2, and codes that are not redeemed yet. "
        "The user stays active, and may get new ones."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["username"])
        end_tokens(user)
        self.stdout.write(f"All tokens of {user.get_username()} are ended.")
