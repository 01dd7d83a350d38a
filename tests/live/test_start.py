"""Without the settings that it needs the service does not start, and says why."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.service import PROJECT, environment

COMMANDS = {
    "web": ("-m", "gunicorn", "-c", str(PROJECT / "gunicorn.conf.py"), "--bind=127.0.0.1:0", "dimensions_site.wsgi"),
    "worker": (str(PROJECT / "manage.py"), "qcluster"),
    "command line": (str(PROJECT / "manage.py"), "migrate"),
}


def start(command: tuple[str, ...], folder: Path, **variables: str | None) -> subprocess.CompletedProcess[str]:
    """Run a process of the service with these variables changed; None takes one away."""
    changed = environment(f"sqlite:///{folder / 'unused.sqlite3'}", PORT="0") | variables
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
@pytest.mark.parametrize("key", [None, ""], ids=["no key", "an empty key"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_nothing_starts_without_a_secret_key(command: tuple[str, ...], key: str | None, tmp_path: Path):
    """A service that signs with a key that everybody knows can be forged."""
    outcome = start(command, tmp_path, SECRET_KEY=key)
    assert outcome.returncode != 0
    assert "SECRET_KEY" in outcome.stderr


def test_the_command_line_says_in_one_line_what_is_missing(tmp_path: Path):
    """An operator reads a sentence, not a stack trace."""
    outcome = start(COMMANDS["command line"], tmp_path, SECRET_KEY=None)
    assert outcome.stderr == "The service is not configured: Set the SECRET_KEY environment variable.\n"


@pytest.mark.contract("G1")
def test_an_unknown_authentication_mode_is_refused(tmp_path: Path):
    """A misspelled mode must not leave the service without the one that was meant."""
    outcome = start(COMMANDS["command line"], tmp_path, API_AUTHENTICATION="basic,api_key")
    assert outcome.returncode != 0
    assert "'api_key'" in outcome.stderr
    assert "api-key" in outcome.stderr.replace("'api_key'", "")


@pytest.mark.contract("B3")
def test_debug_is_off_unless_it_is_asked_for(tmp_path: Path):
    """Debug pages show the settings to whoever provokes an error."""
    show = (
        str(PROJECT / "manage.py"),
        "shell",
        "--no-imports",
        "-c",
        "from django.conf import settings; print(settings.DEBUG)",
    )
    assert start(show, tmp_path, DEBUG=None).stdout.split() == ["False"]
    assert start(show, tmp_path, DEBUG="true").stdout.split() == ["True"]
