"""The import commands as an operator meets them at the command line."""

import fcntl
import json
import os
import pty
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, cast

import pytest
from django.core.management import CommandError, call_command

from tests.bulkops.command_line.plain import store_plain
from tests.services.worker import wait_until

PROJECT = Path(__file__).resolve().parents[3]
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
    file = tmp_path_factory.mktemp("with a blank") / "database.sqlite3"
    store_plain(file)
    return file


@pytest.mark.contract("H4")
def test_a_dash_reads_standard_input(database, tmp_path):
    """Bytes come as another program writes them, with a byte-order mark or without; the log has a line about it."""
    outcome = manage("import_currencies", "plain", "-", database=database, folder=tmp_path, stdin="\ufeff" + TABLE)
    line = json.loads(outcome.stderr)
    assert (line["event"], line["command"], line["repository"]) == ("elements_imported", "import_currencies", "plain")
    assert (line["dimension"], line["rows_written"]) == ("currency", 2)
    assert outcome.stdout == "Imported into plain: 2 created, 0 changed, 0 unchanged.\n"
    assert outcome.returncode == 0


def test_a_slow_writer_into_the_pipe_keeps_nobody_else_waiting(database, tmp_path):
    """The import begins when its table is complete: until then the database is free for other writers."""
    command = [sys.executable, str(PROJECT / "manage.py"), "import_currencies", "plain", "-"]
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{database}"}
    rows = "".join(f"X{number},Slow,2,0.0000\n" for number in range(2_000))
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, encoding="utf-8") as importing:
        pipe = cast(IO[str], importing.stdin)
        pipe.write(f"{HEADINGS}\n{rows}")
        pipe.flush()
        wait_until(lambda: waiting_in(pipe) == 0 or importing.poll() is not None, "Nobody reads")
        with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as writer:
            for _ in range(10):
                writer.execute("BEGIN IMMEDIATE")
                writer.execute("ROLLBACK")
                time.sleep(0.1)
        pipe.close()
        assert importing.wait(60) == 0


def waiting_in(pipe: IO[str]) -> int:
    """How many bytes are in the pipe that nobody has read."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)


@pytest.mark.contract("H4")
def test_a_refused_import_ends_with_status_1_and_plain_words(database, tmp_path):
    """The errors and the last word go to standard error; no stack trace is among them."""
    (tmp_path / "my table.csv").write_text(TABLE + "GBP,Pound,two,0.0000\n")
    outcome = manage("import_currencies", "plain", "my table.csv", database=database, folder=tmp_path)
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    error, last = outcome.stderr.splitlines()
    assert error.startswith("line 4, decimalNumbers: ")
    assert '"two"' in error
    assert last == "CommandError: Nothing was imported: 1 error."


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
def test_a_missing_file_or_repository_is_reported_in_one_sentence(
    northwind, tmp_path, monkeypatch, command, db_id, file, message
):
    """Django's command line turns that into status 1, and prints nothing else."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError) as refusal:
        call_command(command, db_id, file)
    assert str(refusal.value) == message


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--map", "Konto"], "argument --map: it must be HEADING=FIELD, such as 'Konto=id'; got 'Konto'."),
        (["--max-delete", "many"], "argument --max-delete: It must be a number such as 20"),
        (["--mode", "replace"], "argument --mode: invalid choice: 'replace' (choose from"),
        (["--format", "xls"], "argument --format: invalid choice: 'xls' (choose from"),
    ],
)
def test_words_that_mean_nothing_are_refused(northwind, words, message):
    with pytest.raises(CommandError) as refusal:
        call_command("import_currencies", "northwind", "-", *words)
    assert str(refusal.value).startswith(f"Error: {message}")


def interrupted(database: Path, folder: Path, phase: str, when: Callable[[], bool]) -> subprocess.CompletedProcess[str]:
    """Import many currencies, some of them invalid, and press Ctrl-C at the time of `when`, before the phase ends."""
    # Fewer errors than end an import.
    rows = "".join(f"N{number},New,{2 if number % 10 else 50},0.0000\n" for number in range(40_000))
    (folder / "large.csv").write_text(f"{HEADINGS}\n{rows}")
    words = ("import_currencies", "plain", "large.csv", "--rejects", "rejects.csv")
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("slow_import.py")), phase, *words],
        cwd=folder,
        env={**os.environ, "DATABASE_URL": f"sqlite:///{database}", "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as importing:
        while not when() and importing.poll() is None:
            time.sleep(0.02)
        importing.send_signal(signal.SIGINT)
        output, errors = importing.communicate(timeout=60)
    return subprocess.CompletedProcess(words, importing.returncode, output, errors)


@pytest.mark.contract("H4")
@pytest.mark.parametrize("phase", ["reading", "checking"])
def test_ctrl_c_leaves_nothing_half_done(database, tmp_path, phase):
    """Whether the file is being read or rows are being staged: no row, no file of rejected rows, status 130."""

    def has_begun() -> bool:
        return Path(tmp_path, "rejects.csv").exists()

    def is_checking() -> bool:
        if not has_begun():
            return False  # whoever opens or closes the file holds it for a moment
        with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
            other.execute("ROLLBACK")
            return False

    outcome = interrupted(database, tmp_path, phase, has_begun if phase == "reading" else is_checking)
    assert (outcome.returncode, outcome.stdout) == (130, "")
    # Before that stands how far a slow machine has read.
    lines = [line for line in outcome.stderr.splitlines() if not line.startswith("Reading: ")]
    assert lines == ["CommandError: Stopped. Nothing was saved."]
    assert not (tmp_path / "rejects.csv").exists()
    with closing(sqlite3.connect(database)) as reader:
        assert reader.execute("SELECT count(*) FROM currency_currency WHERE element_id LIKE 'N%'").fetchone() == (0,)


@pytest.mark.contract("H4")
def test_on_a_terminal_a_bar_shows_phase_rate_and_time_left(database, tmp_path):
    """Otherwise a slow import prints a plain line now and then, and a quick one nothing."""
    rows = "".join(f"T{number},New,2,0.0000\n" for number in range(3_000))
    (tmp_path / "table.csv").write_text(f"{HEADINGS}\n{rows}")
    primary, secondary = pty.openpty()
    termios.tcsetwinsize(secondary, (24, 100))
    with subprocess.Popen(
        [sys.executable, str(PROJECT / "manage.py"), "import_currencies", "plain", "table.csv", "--dry-run"],
        cwd=tmp_path,
        env={**os.environ, "DATABASE_URL": f"sqlite:///{database}", "TERM": "xterm"},
        stdout=subprocess.DEVNULL,
        stderr=secondary,
    ) as importing:
        os.close(secondary)
        shown = b""
        with suppress(OSError):  # the end of a terminal is an error
            while piece := os.read(primary, 10_000):
                shown += piece
        os.close(primary)
        assert importing.wait(60) == 0
    for words in (
        rb"Reading +\d+%",
        rb"Checking +\d+%",
        rb"Saving +\d+%",
        rb"\d\d:\d\d left",
        rb"[\d,]+ rows a second",
    ):
        assert re.search(words, shown), shown
