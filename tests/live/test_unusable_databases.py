"""A command that cannot work with the tables of a database says so in one sentence, and what to do."""

import os
from pathlib import Path

from tests.live.commands import error_of, errors_of
from tests.live.test_start import start
from tests.services.clerk import run_command
from tests.services.database import empty_database, migrated_database
from tests.services.service import PROJECT

SERVER = os.environ.get("DATABASE_URL", "")
ALL = [
    *("import_currencies demo table.csv", "import_accounts demo table.csv", "export_accounts demo"),
    *("create_repository demo --name Demo", "fill_repository demo", "grant_access erp demo reader"),
    *("create_api_key erp --name x", "end_tokens erp", "clean_old_history --days 30"),
]


def test_a_database_without_tables_lacks_all_migrations(tmp_path: Path):
    """The first three are named."""
    with empty_database(tmp_path, SERVER) as url:
        assert error_of(ALL[0], url, tmp_path).startswith("The database lacks ")
        for words, sentence in zip(ALL, errors_of(ALL, url, tmp_path), strict=True):
            assert sentence.startswith("The database lacks "), words
            assert sentence.endswith(" more): run `manage.py migrate`.")
            assert sentence.count(".0") == 3


def test_the_migrations_that_an_older_database_lacks_are_named(tmp_path: Path):
    """A command that needs none of them does its work."""
    with migrated_database(tmp_path, SERVER) as url:
        run_command(url, "migrate", "--verbosity=0", "account", "zero")
        run_command(url, "create_repository", "northwind", "--name=Northwind")
        sentence = error_of("export_accounts northwind", url, tmp_path)
    assert sentence == "The database lacks 1 migration (account.0001_initial): run `manage.py migrate`."


def test_any_other_error_keeps_its_trace(tmp_path: Path):
    """Whoever fixes it needs it: here a query that no database understands."""
    query = "from django.db import connection as c; c.cursor().execute('SELEKT')"
    words = (str(PROJECT / "manage.py"), "shell", "--no-imports", "-c", query)
    with migrated_database(tmp_path, SERVER) as url:
        outcome = start(words, tmp_path, DATABASE_URL=url)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("Traceback")
    assert "SELEKT" in outcome.stderr


def test_a_migration_that_fails_keeps_its_trace(tmp_path: Path):
    """Migrations are missing then, of course; running them again is useless advice."""
    with empty_database(tmp_path, SERVER) as url:
        migrated = start((str(PROJECT / "manage.py"), "migrate", "--fake", "account"), tmp_path, DATABASE_URL=url)
        assert migrated.returncode == 0, migrated.stderr
        outcome = start((str(PROJECT / "manage.py"), "migrate", "account", "zero"), tmp_path, DATABASE_URL=url)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("Traceback")
