"""A separate database for a separate process, with the repository `plain` in it."""

from contextlib import closing
from pathlib import Path
from sqlite3 import connect

from tests.services.migrated import copy_file, template


def store_plain(file: Path) -> None:
    """Make the SQLite database, without a process that migrates it and another one that creates the repository."""
    copy_file(template("sqlite://"), file)
    with closing(connect(file)) as made, made:
        made.execute(
            "INSERT INTO repositories_repository (db_id, name, default_language, api_enabled, requires_reason)"
            " VALUES ('plain', 'Plain', 'en', true, false)"
        )
