"""Exports in separate processes: pipes, interruptions, and disks that are full."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, cast

import pytest

from dimensions_site.text.files import Format
from tests.bulkops.command_line.plain import store_plain

pytestmark = pytest.mark.contract("H4")
PROJECT = Path(__file__).resolve().parents[3]
HEADINGS = "id,description,nature,type,conversion.conversionType"
COUNT = 2_000
# Less than the export has in any format, more than the database needs to be read.
SMALL_DISK = 48 * 1024


def command(*words: str) -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), *words]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A database with the repository `plain` and some accounts in it."""
    folder = tmp_path_factory.mktemp("database")
    store_plain(folder / "database.sqlite3")
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{folder / 'database.sqlite3'}"}
    rows = "".join(f"{number:04},Größe {number},BALANCE_SHEET,NORMAL,FINAL\n" for number in range(COUNT))
    (folder / "accounts.csv").write_text(f"{HEADINGS}\n{rows}", encoding="utf-8")
    importing = command("import_accounts", "plain", str(folder / "accounts.csv"))
    subprocess.run(importing, env=environment, check=True, capture_output=True, timeout=120)
    return environment


def test_without_a_file_the_table_goes_to_standard_output(environment):
    """Bytes for other programs, without a byte-order mark; apart from one log line, nothing else is printed."""
    words = command("export_accounts", "plain", "--properties=id,descriptions", "--filter=id<0002")
    done = subprocess.run(words, env=environment, capture_output=True, timeout=60, check=True)
    assert done.stdout.decode() == "id,descriptions.en\r\n0000,Größe 0\r\n0001,Größe 1\r\n"
    line = json.loads(done.stderr)
    assert (line["event"], line["command"], line["repository"]) == ("elements_exported", "export_accounts", "plain")
    assert line["rows_read"] == 2


def test_a_reader_that_goes_away_ends_the_export_without_a_word(environment):
    """As `export_accounts … | head` does; the status is that of programs which the system ends for it."""
    with subprocess.Popen(
        command("export_accounts", "plain"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as exporting:
        output, errors = cast(IO[bytes], exporting.stdout), cast(IO[bytes], exporting.stderr)
        assert output.readline().startswith(b"id,")
        output.close()
        assert errors.read() == b""
        assert exporting.wait(60) == 128 + signal.SIGPIPE


def test_an_interrupted_export_says_that_it_is_not_complete(environment):
    """One line, no trace; the status is that of programs which are stopped by Ctrl-C."""
    with subprocess.Popen(
        command("export_accounts", "plain", "--format=ndjson"),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as exporting:
        output, errors = cast(IO[bytes], exporting.stdout), cast(IO[bytes], exporting.stderr)
        output.readline()  # The others do not fit into the pipe, so it waits in the middle of its work.
        exporting.send_signal(signal.SIGINT)
        output.read()
        assert errors.read() == b"CommandError: Stopped. The export is not complete.\n"
        assert exporting.wait(60) == 128 + signal.SIGINT


@pytest.mark.parametrize("format", [Format.CSV, Format.XLSX, Format.NDJSON])
def test_an_export_that_fails_leaves_no_half_file(environment, tmp_path, format):
    """What was there before is still there."""
    name = f"accounts.{format}"
    (tmp_path / name).write_text("before", encoding="utf-8")
    done = subprocess.run(
        command("export_accounts", "plain", name, "--force"),
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK, SMALL_DISK)),
    )
    assert done.stderr == f"CommandError: The file '{name}' cannot be written: File too large.\n"
    assert done.returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text(encoding="utf-8") == "before"
