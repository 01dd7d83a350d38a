"""Start the whole service with a demo repository, for `make run`."""

import logging
import os
import secrets
import socket
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from dimensions_site.demo.filling import fill_accounts, fill_currencies
from dimensions_site.demo.processes import serve
from dimensions_site.repositories.models import Repository

DB_ID, TEST_DB_ID = "demo", "demo-test"
USERNAME = "demo"
HOST = "127.0.0.1"


class Command(BaseCommand):
    help = "Prepares the database and two demo repositories, then runs web and worker in this terminal until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--password-file", type=Path, default=Path(".run/password"), help="keeps the password")

    def handle(self, *args: Any, **options: Any) -> None:
        address = f"{HOST}:{_free_port(os.environ.get('PORT', '8000'))}"
        # The banner comes first, so the preparation logs nothing.
        logging.disable(logging.INFO)
        call_command("migrate", verbosity=0)
        _prepare_repositories()
        password = _prepare_user(options["password_file"])
        logging.disable(logging.NOTSET)
        self._print_welcome(f"http://{address}", password)
        if not serve(settings.BASE_DIR, {"BIND": address}):
            raise CommandError("The service has stopped, because one of its two processes ended by itself.")

    def _print_welcome(self, address: str, password: str) -> None:
        self.stdout.write(
            f"""
The service        {address}/
Administration     {address}/admin/
API, currencies    {address}/docs/currency
API, accounts      {address}/docs/account
User               {USERNAME}
Password           {password}

A first call:
curl -u {USERNAME}:{password} {address}/api/aih/dimensions/v1/{DB_ID}/currency/elements/EUR

Ctrl-C stops the service; the data stays, and the next start finds it again.
"""
        )
        self.stdout.flush()


def _free_port(text: str) -> int:
    """Return the port in `text`. Raises `CommandError` if it is invalid or cannot be used."""
    advice = "Choose another one, for example: make run PORT=8001"
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise CommandError(f"PORT '{text}' is not a port: give a number from 1 to 65535. {advice}")
    with socket.socket() as probe:
        # As gunicorn does: a port that was in use until just now is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, int(text)))
        except OSError as error:
            raise CommandError(f"Port {text} cannot be used: {error.strerror}. {advice}") from None
    return int(text)


@transaction.atomic
def _prepare_repositories() -> None:
    """Make the repositories that are missing: a filled one, and a copy of it, with which the recipes compare it."""
    repository, is_new = Repository.objects.get_or_create(
        db_id=DB_ID, defaults={"name": "Demo group", "default_language": "en"}
    )
    if is_new:
        fill_currencies(repository)
        fill_accounts(repository)
    if not Repository.objects.filter(db_id=TEST_DB_ID).exists():
        call_command("copy_repository", DB_ID, TEST_DB_ID, name="Demo group, test", stdout=StringIO())


def _prepare_user(password_file: Path) -> str:
    """Return the demo user's password, generated once and stored where only its owner can read it."""
    if not password_file.exists():
        password_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        password_file.touch(mode=0o600)
        password_file.write_text(secrets.token_urlsafe(12))
    password = password_file.read_text().strip()
    user, _ = User.objects.get_or_create(username=USERNAME, defaults={"is_staff": True, "is_superuser": True})
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    return password
