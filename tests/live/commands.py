"""What commands say that end with an error."""

from pathlib import Path

from tests.live.test_start import start
from tests.services.service import PROJECT


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
