"""A command that cannot reach or open its database says so in one sentence."""

from pathlib import Path

from tests.live.commands import error_of, errors_of
from tests.live.test_start import start
from tests.services.own_postgresql import own_postgresql
from tests.services.service import PROJECT, free_port

COMMANDS = ["import_currencies demo table.csv", "import_accounts demo table.csv"]


def test_a_file_in_a_folder_that_is_missing_cannot_be_opened(tmp_path: Path):
    """The sentence names it; `--check` of migrate is how a deployment asks."""
    file = tmp_path / "nowhere" / "dimensions.sqlite3"
    sentence = f"The database {file} cannot be opened: unable to open database file."
    assert error_of("migrate --check", f"sqlite:///{file}", tmp_path) == sentence
    assert errors_of(["migrate", *COMMANDS], f"sqlite:///{file}", tmp_path) == [sentence] * 3


def test_a_file_that_is_not_a_database_cannot_be_opened(tmp_path: Path):
    """Nor is it backed up."""
    file = tmp_path / "table.csv"
    file.write_text("id,descriptions.en\n" * 1_000)
    sentence = f"The database {file} cannot be opened: file is not a database."
    assert errors_of(["migrate --check", "export_accounts demo"], f"sqlite:///{file}", tmp_path) == [sentence] * 2
    refused = error_of(f"backup_sqlite {tmp_path / 'copy'}", f"sqlite:///{file}", tmp_path)
    assert refused == "CommandError: Nothing was backed up: file is not a database"
    assert not (tmp_path / "copy").exists()


def test_a_server_that_is_down_is_reported_with_its_own_reason(tmp_path: Path):
    """In one line, without the password."""
    url = f"postgresql://erp:hidden@127.0.0.1:{free_port()}/group"
    sentences = errors_of(["migrate --check", *COMMANDS], url, tmp_path)
    assert len(sentences) == 3
    for sentence in sentences:
        assert sentence.startswith("The database cannot be reached: connection failed: ")
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


def test_a_trace_comes_when_it_is_asked_for(tmp_path: Path):
    words = (str(PROJECT / "manage.py"), "migrate", "--check", "--traceback")
    outcome = start(words, tmp_path, DATABASE_URL=f"sqlite:///{tmp_path / 'nowhere' / 'dimensions.sqlite3'}")
    assert outcome.stderr.startswith("Traceback")
