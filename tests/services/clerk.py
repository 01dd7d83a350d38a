"""A process that has loaded Django once, and does what tests need done in databases.

Each errand runs in a fork of it: to start a separate process for each takes a second of the processor's time.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import django
from django.conf import settings
from django.db import connections

from dimensions_site import backends
from tests.services.migrated import lay_tables
from tests.services.service import PROJECT, environment

_one_at_a_time = threading.Lock()
_PREPARATION = """
from django.contrib.auth.models import User
from django.core.management import call_command
call_command("create_repository", "northwind", name="Northwind group")
User.objects.create_superuser("alice", "alice@example.com", "alice-password")
call_command("create_api_key", "alice", name="live tests")
"""


def prepare(database_url: str, release: Path = PROJECT) -> str:
    """Put the repository `northwind` into a database with or without tables; return an API key of a superuser."""
    lay_tables(database_url)
    return errand(database_url, _PREPARATION, release).split()[-1]


def errand(database_url: str, code: str, release: Path = PROJECT) -> str:
    """Run the code where Django is set up with that database, in the folder of a release; return what it printed."""
    clerk = _clerk(database_url.partition(":")[0], release)
    assert clerk.stdin is not None
    assert clerk.stdout is not None
    with _one_at_a_time:
        clerk.stdin.write(f"{json.dumps([database_url, code])}\n")
        clerk.stdin.flush()
        status, output = json.loads(clerk.stdout.readline())
    assert status == 0, output
    return str(output)


def run_command(database_url: str, *words: str) -> str:
    """Run a command of `manage.py` to its end there; return what it printed."""
    line = ["manage.py", *words]
    return errand(database_url, f"from django.core.management import execute_from_command_line as run; run({line})")


@functools.cache
def _clerk(kind: str, release: Path) -> "subprocess.Popen[str]":
    """The process of the release for databases of that kind; models know which kind it is."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.services.clerk"],
        cwd=release,
        env=environment("sqlite://" if kind == "sqlite" else f"{kind}:///none", PYTHONPATH=str(release)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    atexit.register(process.communicate)
    return process


def main() -> None:
    """Do the errands that come in, a line each, until nobody can send any more."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "dimensions_site.settings"
    django.setup()
    for line in sys.stdin:
        database_url, code = json.loads(line)
        with TemporaryFile("w+", encoding="utf-8") as output:
            pid = os.fork()
            if pid == 0:
                _do(database_url, code, output)
            _, status = os.waitpid(pid, 0)
            output.seek(0)
            sys.stdout.write(f"{json.dumps([os.waitstatus_to_exitcode(status), output.read()])}\n")
            sys.stdout.flush()


def _do(database_url: str, code: str, output: IO[str]) -> None:
    """Do one, and end the process."""
    os.dup2(output.fileno(), sys.stdout.fileno())
    status = 1
    try:
        os.environ["DATABASE_URL"] = database_url
        connections.settings["default"] |= backends.database(
            "DATABASE_URL", default="", options=settings.DATABASE_OPTIONS
        )
        exec(code, {})  # noqa: S102 - the tests wrote it
        connections.close_all()
        status = 0
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
