"""The import commands as an operator meets them at the command line."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import IO, cast

import pytest
from django.core.management import CommandError, call_command

from bulkops.importing import BATCH_ROWS

PROJECT = Path(__file__).resolve().parents[2]
HEADINGS = "id,description,decimalNumbers,percentageDifference"
TABLE = f"{HEADINGS}\nEUR,Euro,2,0.0000\nUSD,Dollar,2,0.0000\n"


def manage(*words: str, database: Path, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run `manage.py` with a database of its own, from another folder."""
    return subprocess.run(
        [sys.executable, str(PROJECT / "manage.py"), *words],
        cwd=folder,
        input=stdin,
        env={**os.environ, "DATABASE_URL": f"sqlite:///{database}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with the repository `plain`."""
    folder = tmp_path_factory.mktemp("with a blank")
    file = folder / "database.sqlite3"
    for words in (("migrate", "--verbosity=0"), ("create_repository", "plain", "--name=Plain")):
        assert manage(*words, database=file, folder=folder).returncode == 0
    return file


@pytest.mark.contract("H4")
def test_a_dash_reads_standard_input(database, tmp_path):
    """Bytes come as another program writes them, with a byte-order mark or without."""
    outcome = manage("import_currencies", "plain", "-", database=database, folder=tmp_path, stdin="\ufeff" + TABLE)
    assert outcome.stderr == ""
    assert outcome.stdout == "Imported into plain: 2 created, 0 changed, 0 unchanged.\n"
    assert outcome.returncode == 0


def test_a_slow_writer_into_the_pipe_keeps_nobody_else_waiting(database, tmp_path):
    """The import begins when its table is complete: until then the database is free for other writers."""
    command = [sys.executable, str(PROJECT / "manage.py"), "import_currencies", "plain", "-"]
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{database}"}
    rows = "".join(f"X{number},Slow,2,0.0000\n" for number in range(2 * BATCH_ROWS))
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, encoding="utf-8") as importing:
        pipe = cast(IO[str], importing.stdin)
        pipe.write(f"{HEADINGS}\n{rows}")
        pipe.flush()
        with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as writer:
            for _ in range(30):  # longer than the command takes to start
                writer.execute("BEGIN IMMEDIATE")
                writer.execute("ROLLBACK")
                time.sleep(0.1)
        pipe.close()
        assert importing.wait(60) == 0


@pytest.mark.contract("H4")
def test_a_refused_import_ends_with_status_1_and_plain_words(database, tmp_path):
    """The faults and the last word go to standard error; no stack trace is among them."""
    (tmp_path / "my table.csv").write_text(TABLE + "GBP,Pound,two,0.0000\n")
    outcome = manage("import_currencies", "plain", "my table.csv", database=database, folder=tmp_path)
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    fault, last = outcome.stderr.splitlines()
    assert fault.startswith("line 4, decimalNumbers: ")
    assert '"two"' in fault
    assert last == "CommandError: Nothing was imported: 1 fault."


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("db_id", "file", "message"),
    [
        ("northwind", "missing.csv", "The file 'missing.csv' cannot be read: No such file or directory."),
        ("northwind", ".", "The file '.' cannot be read: Is a directory."),
        ("unknown", "missing.csv", "There is no repository 'unknown'."),
    ],
)
@pytest.mark.parametrize("command", ["import_currencies", "import_accounts"])
def test_a_missing_file_or_repository_is_told_in_one_sentence(
    northwind, tmp_path, monkeypatch, command, db_id, file, message
):
    """Which Django's command line turns into status 1 and nothing else."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError) as refusal:
        call_command(command, db_id, file)
    assert str(refusal.value) == message
