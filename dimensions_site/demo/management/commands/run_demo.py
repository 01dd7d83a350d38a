"""Start the whole service with a demo repository, for `make run`."""

import logging
import os
import secrets
import shlex
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

import honcho.manager
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from honcho.manager import SIGNALS, Manager

from dimensions_site.demo.management.commands.fill_repository import fill_accounts, fill_currencies
from dimensions_site.repositories.models import Repository

# Seconds until both are killed, more than either needs: gunicorn gives requests 30.
honcho.manager.KILL_WAIT = 40


def serve(project: Path, environment: Mapping[str, str]) -> bool:
    """Run web server and worker of the `project` folder until both have ended; prefix their lines with their names.

    SIGINT, SIGTERM, a closed terminal or the end of one process ends both. Return whether the end was requested.
    """
    python = shlex.quote(sys.executable)
    web = f"exec {python} -m gunicorn -c {_path(project, 'gunicorn.conf.py')} --log-level warning dimensions_site.wsgi"
    worker = f"exec {python} {_path(project, 'manage.py')} qcluster"
    common = {**os.environ, **environment, "PYTHONPATH": str(project), "PYTHONUNBUFFERED": "1"}
    processes = Manager()
    processes._procmgr = _Signals()
    processes.add_process("web", web, env=common)
    processes.add_process("worker", worker, env={**common, "LOG_LEVEL": "WARNING"})
    signal.signal(signal.SIGHUP, _end_unseen)
    processes.loop()
    return processes.returncode in {ending["rc"] for ending in SIGNALS.values()}


def _end_unseen(number: int, frame: FrameType | None) -> None:
    """End as on SIGTERM, without output: the terminal is gone, and writing to it would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    signal.raise_signal(signal.SIGTERM)


def _path(folder: Path, name: str) -> str:
    return shlex.quote(str(folder / name))


class _Signals:
    """Signals a process, not its children. Honcho would signal the whole group, and the children of django-q2's cluster
    would end in the middle of their work.
    """

    def terminate(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


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
