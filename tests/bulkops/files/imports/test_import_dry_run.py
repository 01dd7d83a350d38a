"""A dry run reports what an import would do, and saves nothing."""

from pathlib import Path

import pytest

from account.models import Account, AccountVersion, CalculationLogic
from tests.factories import account

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType,rules.grossAmountEqualICSum\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL,true\n"
BANK = "1100,Bank,BALANCE_SHEET,NORMAL,FINAL,\n"

pytestmark = pytest.mark.contract("H4")


@pytest.fixture
def till(alice):
    """The account 1000, which is called Till."""
    before = account("1000", descriptions={"en": "Till", "de": "Kasse"}, documentationLink="x")
    assert alice.send("POST", alice.account(), before).status_code == 201


def test_it_shows_what_would_change_with_both_values(import_accounts, till):
    """Created, changed and deleted elements, in the words of the wire; nothing is saved, and no history written."""
    import_accounts(HEADINGS + "0900,Old,BALANCE_SHEET,NORMAL,FINAL,\n")
    before = list(Account.objects.order_by("element_id").values())
    versions = AccountVersion.objects.count()
    words = ["--dry-run", "--mode=sync", "--max-delete=1"]
    outcome = import_accounts(HEADINGS + CASH + BANK, *words)
    lines = outcome.output.splitlines()
    assert lines[:3] == [
        "line 2, 1000, descriptions.en: Till -> Cash",
        "line 2, 1000, rules.grossAmountEqualICSum: false -> true",
        "line 3, 1100, id: not set -> 1100",
    ]
    assert "line 3, 1100, descriptions.en: not set -> Bank" in lines
    assert lines[-2:] == [
        "deleted: 0900",
        "Dry run, nothing was saved. It would import into northwind: 1 created, 1 changed, 0 unchanged, 1 deleted.",
    ]
    assert outcome.status == 0
    assert list(Account.objects.order_by("element_id").values()) == before
    assert AccountVersion.objects.count() == versions
    assert not CalculationLogic.objects.exists()

    assert import_accounts(HEADINGS + CASH + BANK, *words[1:]).output == (
        "Imported into northwind: 1 created, 1 changed, 0 unchanged, 1 deleted.\n"
    )


def test_it_counts_what_would_be_rejected_and_leaves_no_file(import_accounts, till, tmp_path: Path):
    """The same options without --dry-run do what was reported."""
    words = ["--rejects", str(tmp_path / "rejects.csv")]
    outcome = import_accounts(HEADINGS + CASH.replace("FINAL", "LAST") + BANK, "--dry-run", *words)
    assert outcome.output.splitlines()[-1].endswith("1 created, 0 changed, 0 unchanged, 1 rejected.")
    assert (outcome.status, list(tmp_path.glob("rejects*"))) == (3, [])
    assert import_accounts(HEADINGS + CASH.replace("FINAL", "LAST") + BANK, *words).status == 3


def test_of_many_changes_the_first_ones_are_reported(import_accounts):
    rows = "".join(f"{number},Account,BALANCE_SHEET,NORMAL,FINAL,\n" for number in range(60))
    lines = import_accounts(HEADINGS + rows, "--dry-run").output.splitlines()
    assert [line for line in lines if line.endswith("descriptions.en: not set -> Account")] == [
        f"line {number + 2}, {number}, descriptions.en: not set -> Account" for number in range(50)
    ]
    assert lines[-1].endswith("60 created, 0 changed, 0 unchanged.")
