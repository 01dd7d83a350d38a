"""References in files that are imported with `--strict`, and without."""

import pytest

from account.models import Account
from tests.bulkops.save.bulk import save
from tests.factories import account

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType,rules.accrual.debitAccrual.id\n"

pytestmark = pytest.mark.contract("E2", "H4")


def row(id: str, reference: str = "", nature: str = "BALANCE_SHEET") -> str:
    return f"{id},Account,{nature},NORMAL,FINAL,{reference}\n"


def places(errors: list[str]) -> list[str]:
    return [error.partition(":")[0] for error in errors]


def test_strict_finds_what_is_stored_and_what_is_in_the_file(import_accounts, alice):
    """Before and after the row that refers to it; a missing element is reported by heading, value and what to do."""
    save(alice, "account", post=[account("stored")])
    table = HEADINGS + row("1000", "stored") + row("1100", "1200") + row("1200", "1100") + row("1300", "nowhere")
    outcome = import_accounts(table, "--strict")
    (error,) = outcome.errors
    assert error == (
        "line 5, rules.accrual.debitAccrual.id: rules.accrual.debitAccrual.id refers to the account 'nowhere', which "
        "is neither in the repository nor in this file; name one that is, or import without the strict check."
    )
    assert Account.objects.count() == 1
    assert import_accounts(table.replace("nowhere", ""), "--strict").status == 0


def test_whoever_refers_to_a_rejected_row_is_rejected_too(import_accounts, tmp_path):
    """However long the chain is; a stored element may be referred to, though its row is rejected."""
    assert import_accounts(HEADINGS + row("stored")).status == 0
    table = (
        HEADINGS
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
