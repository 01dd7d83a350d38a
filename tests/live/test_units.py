"""systemd accepts its files, and the names in the files of docs/deploy are known.

That what they start serves, `test_front.py` shows.
"""

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.test_docs import FOR_OPERATORS, settings_read
from tests.services.deployment import FOLDER, INSTALLED, settings_of, skip_without
from tests.services.service import PROJECT

UNITS = sorted(file.name for file in FOLDER.glob("*.service"))


def test_systemd_has_nothing_to_say_against_the_units(tmp_path: Path) -> None:
    """No misspelled name, no invalid value, and what they start exists."""
    program = skip_without("systemd-analyze")
    for name in UNITS:
        (tmp_path / name).write_text((FOLDER / name).read_text().replace(INSTALLED, str(PROJECT)))
    command = [program, "verify", "--man=no", *(str(tmp_path / name) for name in UNITS)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    complaints = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "dimensions-" in line]
    assert (done.returncode, complaints) == (0, []), done.stderr


@pytest.mark.parametrize("name", UNITS)
def test_every_setting_of_a_unit_is_one_of_the_service(name: str) -> None:
    """A name that nobody reads would seem to have an effect."""
    named = re.findall(r"(?m)^#?([A-Z_]+)=", (FOLDER / "environment").read_text())
    assert {*named, *settings_of(name)} <= settings_read().keys()


def test_the_command_of_the_document_fills_in_every_word_of_the_nginx_file() -> None:
    """And no other: nginx has variables of its own with a `$`."""
    words = set(re.findall(r"\$\{(\w+)\}", (FOLDER / "nginx.conf").read_text()))
    command = re.search(r"envsubst '([^']+)'", (FOR_OPERATORS / "running.md").read_text())
    assert command is not None
    assert set(command[1].split()) == {f"${word}" for word in words}
