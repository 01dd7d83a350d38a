"""Imports as operators run them: a file and a command."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


@dataclass(frozen=True)
class Outcome:
    """The output of a command: standard output, the lines of its errors, and its last sentence if it refused."""

    output: str
    errors: list[str]
    refusal: str | None
    status: int


Import = Callable[..., Outcome]


@pytest.fixture
def run_import(tmp_path: Path, northwind) -> Import:
    """Import a file, given as text or bytes, by a command such as `import_accounts` into Northwind.

    `words` are further words of the command line, such as `--strict`.
    """

    def run(command: str, content: str | bytes, *words: str, db_id: str = "northwind") -> Outcome:
        file = tmp_path / "table.csv"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        output, errors = StringIO(), StringIO()
        refusal, status = None, 0
        try:
            call_command(command, db_id, str(file), *words, stdout=output, stderr=errors)
        except CommandError as error:
            refusal, status = str(error), error.returncode
        except SystemExit as end:
            status = int(str(end.code))
        return Outcome(output.getvalue(), errors.getvalue().splitlines(), refusal, status)

    return run


@pytest.fixture
def import_accounts(run_import: Import) -> Import:
    """Import a file of accounts into Northwind."""
    return partial(run_import, "import_accounts")


@pytest.fixture
def import_currencies(run_import: Import) -> Import:
    """Import a file of currencies into Northwind."""
    return partial(run_import, "import_currencies")
