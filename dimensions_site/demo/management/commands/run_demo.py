"""Brings up the whole service with a demo repository: what `make run` calls."""

import os
import secrets
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from honcho.manager import Manager

from dimensions_site.demo.filling import fill_accounts, fill_currencies
from dimensions_site.repositories.models import Repository

DB_ID = "demo"
USERNAME = "demo"


class Command(BaseCommand):
    help = "Prepares the database and a demo repository, then runs web and worker in this terminal until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--password-file", type=Path, default=Path(".run/password"), help="keeps the password")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        repository, is_new = Repository.objects.get_or_create(
            db_id=DB_ID, defaults={"name": "Demo group", "default_language": "en"}
        )
        if is_new:
            fill_currencies(repository)
            fill_accounts(repository)
        self._print_welcome(self._password(options["password_file"]))
        self._serve()

    def _password(self, file: Path) -> str:
        """The password of the demo user, made once and kept where only the owner can read it."""
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(12))
        password = file.read_text().strip()
        user, _ = User.objects.get_or_create(username=USERNAME, defaults={"is_staff": True, "is_superuser": True})
        if not user.check_password(password):
            user.set_password(password)
            user.save()
        return password

    def _print_welcome(self, password: str) -> None:
        address = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}"
        self.stdout.write(
            f"""
The service is at   {address}/
Administration at   {address}/admin/
User                {USERNAME}
Password            {password}

A first call:
curl -u {USERNAME}:{password} {address}/api/aih/dimensions/v1/{DB_ID}/currency/elements/EUR

Ctrl-C stops the service; the data stays in .run/
"""
        )
        self.stdout.flush()

    def _serve(self) -> None:
        """Run web and worker until one of them ends or Ctrl-C ends both."""
        processes = Manager()
        python = sys.executable
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        directory = str(settings.BASE_DIR)
        processes.add_process("web", f"exec '{python}' -m gunicorn dimensions_site.wsgi", cwd=directory, env=environment)
        processes.add_process("worker", f"exec '{python}' manage.py qcluster", cwd=directory, env=environment)
        processes.loop()
        if processes.returncode:
            raise SystemExit(processes.returncode)
