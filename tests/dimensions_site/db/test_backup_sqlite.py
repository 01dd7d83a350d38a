"""The command that backs up an SQLite database makes a complete copy, or says why it cannot."""

import os
import re
import sqlite3
from contextlib import closing

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dimensions_site.repositories.models import Repository

pytestmark = pytest.mark.django_db(transaction=True)
if not os.environ.get("DATABASE_URL", "sqlite").startswith("sqlite"):

    def test_it_is_for_sqlite_alone(tmp_path):
        """On PostgreSQL the command points to pg_dump."""
        with pytest.raises(CommandError, match="pg_dump"):
            call_command("backup_sqlite", str(tmp_path / "copy"))
        assert list(tmp_path.iterdir()) == []

else:

    def test_the_copy_is_one_file_with_all_that_is_committed(northwind, tmp_path, capsys):
        """What is still in the companion `-wal` is in it, too; nobody else may read it."""
        copy = tmp_path / "copy"
        call_command("backup_sqlite", str(copy))
        size = f"{copy.stat().st_size:,}"
        assert re.fullmatch(rf"Backed up .+ to {re.escape(str(copy))}: {size} bytes\.\n", capsys.readouterr().out)
        assert list(tmp_path.iterdir()) == [copy]
        assert copy.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(copy)) as file:
            assert file.execute("SELECT db_id FROM repositories_repository").fetchall() == [("northwind",)]

    def test_a_file_that_is_there_is_left_alone(northwind, tmp_path):
        """It may be the only backup."""
        copy = tmp_path / "copy"
        copy.write_text("the backup of yesterday")
        with pytest.raises(CommandError, match=r"FILE '.+copy' cannot be created: File exists\."):
            call_command("backup_sqlite", str(copy))
        assert copy.read_text() == "the backup of yesterday"

    def test_a_folder_that_is_not_there_is_reported(tmp_path):
        with pytest.raises(CommandError, match=r"cannot be created: No such file or directory\."):
            call_command("backup_sqlite", str(tmp_path / "nowhere" / "copy"))

    def test_a_mistyped_database_is_not_an_empty_backup(tmp_path, monkeypatch):
        """SQLite itself would make an empty one, and back up that."""
        monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "mistyped.sqlite3"))
        with pytest.raises(CommandError, match=r"There is no database at .+mistyped\.sqlite3\."):
            call_command("backup_sqlite", str(tmp_path / "copy"))
        assert list(tmp_path.iterdir()) == []

    def test_a_damaged_database_leaves_no_backup(northwind, tmp_path, monkeypatch):
        """A failing command is better than a copy that cannot be restored."""
        call_command("backup_sqlite", str(tmp_path / "damaged"))
        with (tmp_path / "damaged").open("r+b") as file:
            file.seek(4096 * 3)
            file.write(b"\xff" * 4096 * 8)
        connection.close()
        monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "damaged"))
        try:
            with pytest.raises(CommandError, match=r"Nothing was backed up"):
                call_command("backup_sqlite", str(tmp_path / "copy"))
        finally:
            connection.close()
        assert not (tmp_path / "copy").exists()

    def test_a_backup_is_made_while_somebody_writes(northwind, tmp_path):
        """It waits for nobody, and has what was committed when it began."""
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("UPDATE repositories_repository SET name = 'half'")
            call_command("backup_sqlite", str(tmp_path / "copy"))
            writer.execute("ROLLBACK")
        with closing(sqlite3.connect(tmp_path / "copy")) as file:
            assert file.execute("SELECT name FROM repositories_repository").fetchall() == [(northwind.name,)]
        assert Repository.objects.get() == northwind
