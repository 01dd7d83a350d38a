"""Copy the SQLite database while the service runs."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection


class Command(BaseCommand):
    help = "Copies the SQLite database into a new file, while the service keeps running."
    # Skip system checks: before an update, the tables are those of another release.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the file for the copy; it must not exist")

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["file"]
        if connection.vendor != "sqlite":
            raise CommandError("The database is not an SQLite file. Back up PostgreSQL with pg_dump.")
        source = Path(connection.settings_dict["NAME"])
        if not source.is_file():
            raise CommandError(f"There is no database at {source}.")
        try:
            # Never overwrite a file, and give the backup its name only when it is complete.
            target.touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise CommandError(f"FILE '{target}' cannot be created: {error.strerror}.") from None
        try:
            self._copy(target)
        except (sqlite3.Error, DatabaseError, CommandError) as error:
            target.unlink()
            raise CommandError(f"Nothing was backed up: {error}") from None
        self.stdout.write(f"Backed up {source} to {target}: {target.stat().st_size:,} bytes.")

    def _copy(self, target: Path) -> None:
        """Copy a consistent state, and check the copy."""
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            # All pages at once: in several steps, each write of others would restart it.
            connection.connection.backup(copy, pages=-1)
            # One file, without a journal.
            copy.execute("PRAGMA journal_mode = DELETE")
            (found,) = copy.execute("PRAGMA quick_check").fetchone()
        if found != "ok":
            raise CommandError(f"the database is damaged: {found}")
