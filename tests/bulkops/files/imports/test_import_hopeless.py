"""Files with more errors than are counted, and elements in files that are too large."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from account.models import Account
from tests.factories import account

# Each row has one error.
WRONG = {"nature": 7}


def refusal(tmp_path, rows, *options):
    """The output of a command that imports the `rows`, of which nothing is saved."""
    file = tmp_path / "accounts.ndjson"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    errors = io.StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("import_accounts", "northwind", str(file), *options, stderr=errors)
    assert not Account._base_manager.exists()
    return str(refused.value), errors.getvalue().splitlines()


@pytest.mark.contract("B1")
def test_a_hopeless_file_is_not_read_to_its_end(northwind, tmp_path):
    """Ten thousand errors are counted, and a thousand listed; the report says that there are more."""
    message, errors = refusal(tmp_path, (account(f"{number}", **WRONG) for number in range(10_001)))
    assert message == "Nothing was imported: At least 10,000 errors; the rest of the file was not checked."
    assert errors[-1] == "and at least 9,000 more errors"
    assert len(errors) == 1_001
