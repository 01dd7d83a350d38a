"""Imports as operators run them: a file and a command."""

from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


@dataclass(frozen=True)
class Outcome:
    """What a command has said: on its output, line by line in its errors, and as its last word when it refused."""

    output: str
    faults: list[str]
    refusal: str | None


Import = Callable[..., Outcome]


@pytest.fixture
def run_import(tmp_path: Path, northwind) -> Import:
    """Import a table, given as text or bytes, by a command such as `import_accounts` into Northwind."""

    def run(command: str, table: str | bytes, db_id: str = "northwind") -> Outcome:
        file = tmp_path / "table.csv"
        file.write_bytes(table.encode() if isinstance(table, str) else table)
        output, errors = StringIO(), StringIO()
        refusal = None
        try:
            call_command(command, db_id, str(file), stdout=output, stderr=errors)
        except CommandError as error:
            refusal = str(error)
        return Outcome(output.getvalue(), errors.getvalue().splitlines(), refusal)

    return run


@pytest.fixture
def import_accounts(run_import: Import) -> Callable[[str | bytes], Outcome]:
    """Import a table of accounts into Northwind."""
    return lambda table: run_import("import_accounts", table)


@pytest.fixture
def import_currencies(run_import: Import) -> Callable[[str | bytes], Outcome]:
    """Import a table of currencies into Northwind."""
    return lambda table: run_import("import_currencies", table)
