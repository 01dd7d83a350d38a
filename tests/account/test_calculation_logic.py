"""The calculation logic "IC on Gross amount", generated when an account is saved."""

import pytest
from django.core.management import CommandError, call_command

from account.models import CalculationLogic
from tests.factories import account, read

ASKING = {"grossAmountEqualICSum": True}
HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType,rules.grossAmountEqualICSum"


def logics():
    """The stored logics, each with the id of its account."""
    return [
        (logic.account.element_id, str(logic)) for logic in CalculationLogic.objects.order_by("account__element_id")
    ]


def logic_of(id):
    return (id, "IC on Gross amount: grossAmount = SUM(icDeclaration)")


@pytest.mark.contract("C17")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_saving_an_account_that_asks_for_it_generates_the_logic(alice, method):
    """By creation, replacement and modification: one record, which sums the IC declaration into the gross amount."""
    if method == "PATCH":
        alice.send("POST", alice.account(), account())
    path = alice.account() if method == "POST" else alice.account("elements/1000")

    assert alice.send(method, path, account(rules=ASKING)).status_code in {200, 201}

    assert logics() == [logic_of("1000")]


@pytest.mark.contract("C17")
def test_saving_again_keeps_one_logic(alice):
    """It is generated once."""
    alice.send("POST", alice.account(), account(rules=ASKING))
    [before] = CalculationLogic.objects.all()

    alice.send("PATCH", alice.account("elements/1000"), {"type": "DETAIL"})

    assert list(CalculationLogic.objects.all()) == [before]


@pytest.mark.contract("C17")
@pytest.mark.parametrize(
    ("method", "payload"),
    [
        ("PATCH", {"rules": {"grossAmountEqualICSum": False}}),
        ("PATCH", {"rules": {"grossAmountEqualICSum": None}}),
        ("PATCH", {"rules": None}),
        ("PUT", account()),
    ],
)
def test_saving_an_account_that_no_longer_asks_for_it_removes_the_logic(alice, method, payload):
    """False, null, the cleared group and the omitted field mean the same; the logic of another account stays."""
    for id in ("1000", "2000"):
        alice.send("POST", alice.account(), account(id, rules=ASKING))

    alice.send(method, alice.account("elements/1000"), payload)

    assert logics() == [logic_of("2000")]


@pytest.mark.contract("C17")
def test_the_logic_is_generated_in_the_transaction_of_the_save(alice, tmp_path):
    """An import that fails after many accounts have been written leaves neither accounts nor logic."""
    rows = [f"{number},Sales,PROFIT_AND_LOSS,NORMAL,AVERAGE,true" for number in range(1200)]
    file = tmp_path / "accounts.csv"
    file.write_text("\n".join([HEADINGS, *rows, "last,Sales,WRONG,NORMAL,AVERAGE,true"]))

    with pytest.raises(CommandError):
        call_command("import_accounts", "northwind", str(file))

    assert logics() == []
    assert read(alice.get(alice.account("elements-count"))) == 0
