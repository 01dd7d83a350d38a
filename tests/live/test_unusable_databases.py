"""A command that cannot work with the database says so in one sentence, and what to do."""

import os
from pathlib import Path

from tests.live.test_start import start
from tests.services.database import empty_database, migrated_database
from tests.services.own_postgresql import own_postgresql
from tests.services.service import PROJECT, free_port, manage

SERVER = os.environ.get("DATABASE_URL", "")
ALL = [
    *("import_currencies demo table.csv", "import_accounts demo table.csv", "export_accounts demo"),
    *("create_repository demo --name Demo", "fill_repository demo", "grant_access erp demo reader"),
    *("create_api_key erp --name x", "end_tokens erp", "clean_old_history --days 30"),
]


def error_of(words: str, url: str, folder: Path) -> str:
    """The single line of the command on standard error, when it ends with status 1."""
    outcome = start((str(PROJECT / "manage.py"), *words.split()), folder, DATABASE_URL=url)
    assert outcome.returncode == 1, outcome.stderr
    assert outcome.stdout == ""
    (line,) = outcome.stderr.splitlines()
    return line


# Each command with its own outcome: starting a process for each takes most of the time.
_EACH = f"""
import runpy, sys
for words in sys.argv[1:]:
    sys.argv = ["manage.py", *words.split()]
    try:
        runpy.run_path({str(PROJECT / "manage.py")!r}, run_name="__main__")
    except SystemExit as end:
        # With a text the status is 1.
        print(end.code if isinstance(end.code, str) else f"status {{end.code}}", file=sys.stderr)
    else:
        print("no error", file=sys.stderr)
"""


def errors_of(commands: list[str], url: str, folder: Path) -> list[str]:
    """The single lines with which the commands end with status 1, one after the other in one process."""
    outcome = start(("-c", _EACH, *commands), folder, DATABASE_URL=url, PYTHONPATH=str(PROJECT))
    assert (outcome.returncode, outcome.stdout) == (0, ""), outcome.stderr
    return outcome.stderr.splitlines()


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
        manage(url, "migrate", "--verbosity=0", "account", "zero")
        manage(url, "create_repository", "northwind", "--name=Northwind")
        sentence = error_of("export_accounts northwind", url, tmp_path)
    lacking = "account.0001_initial, account.0002_change_sets, account.0003_uses"
    assert sentence == f"The database lacks 3 migrations ({lacking}): run `manage.py migrate`."


def test_a_file_in_a_folder_that_is_missing_cannot_be_opened(tmp_path: Path):
    """The sentence names it; `--check` of migrate is how a deployment asks."""
    file = tmp_path / "nowhere" / "dimensions.sqlite3"
    for words in ("migrate --check", "migrate", *ALL[:2]):
        assert error_of(words, f"sqlite:///{file}", tmp_path) == (
            f"The database {file} cannot be opened: unable to open database file."
        )


def test_a_file_that_is_not_a_database_cannot_be_opened(tmp_path: Path):
    """Nor is it backed up."""
    file = tmp_path / "table.csv"
    file.write_text("id,descriptions.en\n" * 1_000)
    for words in ("migrate --check", "export_accounts demo"):
        assert error_of(words, f"sqlite:///{file}", tmp_path) == (
            f"The database {file} cannot be opened: file is not a database."
        )
    refused = error_of(f"backup_sqlite {tmp_path / 'copy'}", f"sqlite:///{file}", tmp_path)
    assert refused == "CommandError: Nothing was backed up: file is not a database"
    assert not (tmp_path / "copy").exists()


def test_a_server_that_is_down_is_reported_with_its_own_reason(tmp_path: Path):
    """In one line, without the password."""
    port = free_port()
    for words in ("migrate --check", *ALL[:2]):
        sentence = error_of(words, f"postgresql://erp:hidden@127.0.0.1:{port}/group", tmp_path)
        assert sentence.startswith("The database cannot be reached: connection failed: "), words
        assert "Connection refused" in sentence
        assert "hidden" not in sentence


def test_other_failures_of_a_connection_are_reported(tmp_path: Path):
    """A database of another name, and a host without an address."""
    with own_postgresql() as server:
        missing = f"{server.url.rpartition('/')[0]}/missing"
        assert 'database "missing" does not exist' in error_of("migrate --check", missing, tmp_path)
    unknown = error_of("migrate --check", "postgresql://erp:hidden@database.invalid/group", tmp_path)
    assert unknown.startswith("The database cannot be reached: failed to resolve host 'database.invalid'")
    assert "hidden" not in unknown


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


def test_a_trace_comes_when_it_is_asked_for(tmp_path: Path):
    words = (str(PROJECT / "manage.py"), "migrate", "--check", "--traceback")
    outcome = start(words, tmp_path, DATABASE_URL=f"sqlite:///{tmp_path / 'nowhere' / 'dimensions.sqlite3'}")
    assert outcome.stderr.startswith("Traceback")
