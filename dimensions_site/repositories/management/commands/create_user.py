"""Create a user."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from dimensions_site.repositories.arguments import check_new


class Command(BaseCommand):
    help = (
        "Creates a user without a password: a program that calls with an API key, or with --staff a person who signs "
        "in to the administration as soon as they have a password. grant_access decides what a user may do."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="NAME", help="letters, digits, @ . + - _ (at most 150)")
        parser.add_argument("--staff", action="store_true", help="a person who may sign in to the administration")

    @transaction.atomic  # together with the record of the change
    def handle(self, *args: Any, **options: Any) -> None:
        user = User(username=User.normalize_username(options["username"]), is_staff=options["staff"])
        user.set_unusable_password()
        check_new(user, {"username": "NAME"}, taken=f"There is already a user '{user.username}'.")
        user.save()
        if user.is_staff:
            hint = (
                f"signs in to the administration with a password: `manage.py changepassword {user.username}` sets it."
            )
        else:
            hint = f"calls with API keys: `manage.py create_api_key {user.username} --name …` creates one."
        self.stdout.write(f"Created user {user.username}, who {hint}")
