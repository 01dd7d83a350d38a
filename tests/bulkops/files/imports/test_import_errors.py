"""All rows or none: every error of every row or element is reported, and then nothing is saved."""

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


@pytest.mark.contract("H4", "B1", "C5", "C6")
def test_errors_name_the_line_and_the_field(import_accounts):
    """The line of NDJSON, the position in an array; every error of every element."""
    lines = [
        json.dumps(element)
        for element in (account("1"), account("2", nature="WRONG", natur="x"), account("1"), {"id": 7})
    ]
    for content in ("\n".join(lines), f"[{','.join(lines)}]"):
        outcome = import_accounts(content)
        assert [error.partition(":")[0] for error in outcome.errors] == [
            "line 2, natur",
            "line 2, nature",
            "line 3, id",
            "line 4, id",
            "line 4, descriptions",
            "line 4, nature",
            "line 4, type",
            "line 4, conversion.conversionType",
        ]
        assert outcome.errors[2] == "line 3, id: The id '1' is on line 1 already; it must appear only once."


@pytest.mark.contract("H4")
def test_a_mapping_of_headings_is_refused(import_accounts):
    """There are none, and no option is ignored silently."""
    outcome = import_accounts("[]", "--map", "Konto=id")
    assert outcome.errors == ["line 1: This file has no headings that could be mapped. Leave the mapping out."]


WITH_REFERENCE = "id,descriptions.en,nature,type,conversion.conversionType,rules.accrual.debitAccrual.id\n"


def row(id: str, reference: str = "", nature: str = "BALANCE_SHEET") -> str:
    return f"{id},Account,{nature},NORMAL,FINAL,{reference}\n"


def places(errors: list[str]) -> list[str]:
    return [error.partition(":")[0] for error in errors]


@pytest.mark.contract("E2", "H4")
def test_whoever_refers_to_a_rejected_row_is_rejected_too(import_accounts, tmp_path):
    """However long the chain is; a stored element may be referred to, though its row is rejected."""
    assert import_accounts(WITH_REFERENCE + row("stored")).status == 0
    table = (
        WITH_REFERENCE
        + row("1", "2")
        + row("2", "3")
        + row("3", "4")
        + row("4", nature="WRONG")
        + row("stored", nature="WRONG")
        + row("5", "stored")
        + row("6", "5")
    )
    outcome = import_accounts(table, "--strict", "--rejects", str(tmp_path / "rejects.csv"))
    assert places(outcome.errors) == [
        "line 2, rules.accrual.debitAccrual.id",
        "line 3, rules.accrual.debitAccrual.id",
        "line 4, rules.accrual.debitAccrual.id",
        "line 5, nature",
        "line 6, nature",
    ]
    assert (outcome.status, Account.objects.count()) == (3, 3)
