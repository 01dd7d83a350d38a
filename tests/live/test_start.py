"""Without the settings that it needs the service does not start, and says why."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.service import PROJECT, environment

COMMANDS = {
    "web": ("-m", "gunicorn", "-c", str(PROJECT / "gunicorn.conf.py"), "--bind=127.0.0.1:0", "dimensions_site.wsgi"),
    "worker": (str(PROJECT / "manage.py"), "qcluster"),
    "command line": (str(PROJECT / "manage.py"), "migrate"),
}


def start(command: tuple[str, ...], folder: Path, **variables: str | None) -> subprocess.CompletedProcess[str]:
    """Run a process of the service with these variables changed; None removes one."""
    changed = environment(f"sqlite:///{folder / 'unused.sqlite3'}") | variables
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={name: value for name, value in changed.items() if value is not None},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.contract("G1")
def test_nothing_starts_with_an_empty_secret_key(tmp_path: Path):
    """A service that signs with a key that everybody knows can be forged."""
    outcome = start(COMMANDS["worker"], tmp_path, SECRET_KEY="")
    assert outcome.returncode != 0
    assert "SECRET_KEY" in outcome.stderr


@pytest.mark.parametrize("command", ["web", "command line"])
def test_what_is_missing_is_said_in_one_line(command: str, tmp_path: Path):
    """An operator reads a sentence, not a stack trace."""
    outcome = start(COMMANDS[command], tmp_path, BIND=None, SECRET_KEY=None)
    assert outcome.stderr == "The service is not configured: SECRET_KEY is not set; it has no default.\n"


WRONG_VALUES = {
    "DATABASE_URL": (
        "mysql://erp:secret@host/name",
        "DATABASE_URL begins with 'mysql://'; it has to be like postgresql",
    ),
    "API_MAX_BODY_SIZE": (
        "2MB",
        "API_MAX_BODY_SIZE is '2MB'; it has to be a whole number from 1024 to 1073741824, in digits alone.",
    ),
}


@pytest.mark.parametrize(("command", "name"), [("web", "DATABASE_URL"), ("command line", "API_MAX_BODY_SIZE")])
def test_an_error_in_a_setting_is_reported_in_one_line(command: str, name: str, tmp_path: Path):
    """The service does not start with a misunderstood value; the web server loads the settings itself."""
    value, sentence = WRONG_VALUES[name]
    outcome = start(COMMANDS[command], tmp_path, BIND=None, **{name: value})
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"The service is not configured: {sentence}")
    assert len(outcome.stderr.splitlines()) == 1
    assert "secret" not in outcome.stderr


@pytest.mark.parametrize(("name", "value"), [("PORT", "http"), ("WEB_CONCURRENCY", "0")])
def test_an_error_in_a_setting_of_the_web_server_is_reported_in_one_line(name: str, value: str, tmp_path: Path):
    """An operator reads a sentence, not a stack trace."""
    outcome = start(COMMANDS["web"], tmp_path, BIND=None, **{name: value})
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"The service is not configured: {name} is '{value}'; it has to be a whole number")
    assert len(outcome.stderr.splitlines()) == 1


def test_an_address_without_a_port_is_reported_in_one_line(tmp_path: Path):
    """gunicorn would use another port."""
    outcome = start(COMMANDS["web"], tmp_path, BIND="10.0.0.11")
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(
        "The service is not configured: BIND is '10.0.0.11'; it has to be an address with a"
    )
    assert len(outcome.stderr.splitlines()) == 1


@pytest.mark.contract("B3")
def test_debug_is_off_unless_it_is_asked_for(tmp_path: Path):
    """Debug pages show the settings to whoever causes an error."""
    show = (
        str(PROJECT / "manage.py"),
        "shell",
        "--no-imports",
        "-c",
        "from django.conf import settings; print(settings.DEBUG)",
    )
    assert start(show, tmp_path, DEBUG=None).stdout.split() == ["False"]
    assert start(show, tmp_path, DEBUG="true").stdout.split() == ["True"]


def test_ctrl_c_before_a_command_has_begun_its_work_leaves_one_word(tmp_path: Path):
    """And the status that shells give for it; a stack trace would look like a failure."""
    outcome = start((str(PROJECT / "manage.py"), "shell", "-c", "raise KeyboardInterrupt"), tmp_path)
    assert (outcome.returncode, outcome.stderr) == (130, "Stopped.\n")
