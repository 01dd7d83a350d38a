"""Commands of libraries that would rewrite the history are refused with the reason."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from account.models import AccountVersion
from tests.factories import Caller, account

pytestmark = pytest.mark.contract("C18")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("clean_duplicate_history", "it deletes versions of elements that look alike"),
        ("populate_history", "it adds versions that never existed"),
    ],
)
@pytest.mark.parametrize("arguments", [[], ["--auto"], ["account.Account", "--unknown"]], ids=str)
def test_a_command_that_rewrites_the_history_is_refused(command: str, words: str, arguments: list[str]) -> None:
    """Whatever its arguments are; no database is opened."""
    environment = {**os.environ, "DATABASE_URL": "sqlite:////nowhere/at/all"}
    outcome = subprocess.run(
        [sys.executable, "manage.py", command, *arguments],
        env=environment,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"{command} is not available: {words}")
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize("command", ["clean_duplicate_history", "populate_history"])
def test_code_cannot_call_it_either(alice: Caller, command: str) -> None:
    """Versions that look alike stay."""
    alice.send("POST", alice.account(), account("1"))
    AccountVersion.objects.create(**{**AccountVersion.objects.values().get(), "number": None})
    with pytest.raises(CommandError):
        call_command(command)
    assert AccountVersion.objects.count() == 2
