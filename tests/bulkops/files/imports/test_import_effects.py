"""What an import changes, what it leaves unchanged, and what it reports."""

import pytest

from account.models import Account, AccountVersion
from tests.factories import account, read

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"
BANK = "1100,Bank,BALANCE_SHEET,NORMAL,FINAL\n"


@pytest.mark.contract("C18", "H4")
def test_a_row_that_changes_nothing_writes_nothing(import_accounts):
    """The second import of a file finds everything as it is: same change date, no further history."""
    import_accounts(HEADINGS + CASH + BANK)
    dates = dict(Account.objects.values_list("element_id", "update_date"))
    outcome = import_accounts(HEADINGS + CASH + BANK.replace("Bank", "Banks"))

    assert outcome.output == "Imported into northwind: 0 created, 1 changed, 1 unchanged.\n"
    cash, bank = Account.objects.order_by("element_id")
    assert cash.update_date == dates["1000"]
    assert bank.update_date > dates["1100"]
    assert [AccountVersion.objects.filter(id=row.pk).count() for row in (cash, bank)] == [1, 2]


@pytest.mark.contract("C12", "C18", "H4")
@pytest.mark.django_db(transaction=True)
def test_an_import_leaves_its_origin_and_history(import_accounts, alice):
    """Created and changed elements have the origin IMPORT and the system as their last author."""
    alice.send("POST", alice.account(), account("1000"))
    import_accounts(HEADINGS + CASH.replace("Cash", "Till") + BANK)

    for id, kinds in (("1000", ["+", "~"]), ("1100", ["+"])):
        info = read(alice.get(alice.account(f"elements/{id}")))["updateInfo"]
        assert (info["user"], info["origin"]) == ("system", "IMPORT")
        versions = AccountVersion.objects.filter(element_id=id).order_by("number")
        assert [version.change for version in versions] == kinds
        last = versions[len(kinds) - 1]
        assert (last.change_set.user, last.change_set.channel) == ("system", "IMPORT")
    assert last.descriptions == {"en": "Bank"}


@pytest.mark.contract("C8", "H4")
def test_an_empty_cell_means_that_the_field_is_not_set(import_accounts, alice):
    """A leaf becomes null or gets its default, an entry of a map is removed, an empty reference is null."""
    before = account(
        "1000",
        documentationLink="https://manual.example.com/cash",
        dataEntryAndReporting={"class": "ASSET"},
        restrictions={"ctpRestriction": {"id": "E1"}},
        rules={"grossAmountEqualICSum": True},
    )
    alice.send("POST", alice.account(), before)
    outcome = import_accounts(
        "id,descriptions.de,documentationLink,dataEntryAndReporting.class,restrictions.ctpRestriction.id,"
        "rules.grossAmountEqualICSum\n1000,,,,,\n"
    )
    assert outcome.errors == []
    now = read(alice.get(alice.account("elements/1000")))
    assert now["descriptions"] == {"en": "Cash"}
    assert now["documentationLink"] is None
    assert now["dataEntryAndReporting"]["class"] == "NONE"
    assert now["restrictions"]["ctpRestriction"] is None
    assert now["rules"]["grossAmountEqualICSum"] is False
