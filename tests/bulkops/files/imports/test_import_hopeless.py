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


@pytest.mark.contract("B1")
def test_ten_thousand_errors_are_counted_exactly(northwind, tmp_path):
    """The limit itself is still counted exactly."""
    message, errors = refusal(tmp_path, (account(f"{number}", **WRONG) for number in range(10_000)))
    assert message == "Nothing was imported: 10,000 errors."
    assert errors[-1] == "and 9,000 more errors"


@pytest.mark.contract("B1")
def test_a_file_whose_rows_are_nearly_all_wrong_is_not_sorted_into_rejects(northwind, tmp_path):
    """Where rows with errors may be left out, more than half of the rows must be valid."""
    rejects = tmp_path / "rejects.ndjson"
    rows = (account(f"{number}", **WRONG) for number in range(10_001))
    message, _ = refusal(tmp_path, rows, "--rejects", str(rejects))
    assert "At least 10,000 errors" in message
    assert not rejects.exists()


@pytest.mark.contract("C20")
def test_what_is_too_large_is_not_imported(northwind, tmp_path):
    """A map with too many entries, an element that is too large, and an id that changes how text is shown."""
    rows = [
        account("1", customAttributes={f"k{number}": None for number in range(201)}),
        account("2", customAttributes={f"k{number}": "ü" * 800 for number in range(200)}),
        account("a\u202eb"),
    ]
    _, errors = refusal(tmp_path, rows)
    assert errors[0].startswith("line 1, customAttributes: ")
    assert "200 entries; it has 201" in errors[0]
    assert errors[1].startswith("line 2: ")
    assert "262,144 bytes" in errors[1]
    assert errors[2].startswith("line 3, id: ")
    assert "U+202E (at position 2)" in errors[2]
