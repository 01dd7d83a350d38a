"""All rows or none: every error of every row is reported, and then nothing is saved."""

import pytest

from account.models import Account
from currency.models import Currency
from tests.factories import currency

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"
CURRENCY_HEADINGS = "id,oid,description,decimalNumbers,percentageDifference,preferred\n"


@pytest.mark.contract("H4")
def test_every_error_of_every_row_is_reported_with_line_and_field(import_accounts):
    """In the order of the lines, also where a row has several errors; each has the value and what is expected."""
    outcome = import_accounts(
        HEADINGS
        + CASH
        + "1100,Bank,BALANCE,,FINAL\n"
        + "1200,Too,many,cells,in,it\n"
        + ",No id,BALANCE_SHEET,NORMAL,FINAL\n"
        + "1300,,BALANCE_SHEET,NORMAL,FINAL\n"
    )
    assert [error.partition(":")[0] for error in outcome.errors] == [
        "line 3, nature",
        "line 3, type",
        "line 4",
        "line 5, id",
        "line 6, descriptions",
    ]
    assert '"BALANCE"' in outcome.errors[0]
    assert "one of BALANCE_SHEET, PROFIT_AND_LOSS, " in outcome.errors[0]
    assert "one of NORMAL, DETAIL, VARIATION" in outcome.errors[1]
    assert outcome.refusal == "Nothing was imported: 5 errors."
    assert not Account.objects.exists()


@pytest.mark.contract("C1", "H4")
def test_a_repeated_id_names_the_first_line(import_accounts):
    """Near or far, in a row that is right or wrong otherwise; ids that differ by case are different."""
    rows = "".join(f"{number},Account,BALANCE_SHEET,NORMAL,FINAL\n" for number in range(600))
    outcome = import_accounts(
        HEADINGS
        + CASH
        + rows
        + CASH
        + "a,x,BALANCE_SHEET,NORMAL,FINAL\nA,x,BALANCE_SHEET,NORMAL,FINAL\n7,x,WRONG,NORMAL,FINAL\n"
    )
    assert outcome.errors[:2] == [
        "line 603, id: The id '1000' is on line 2 already; it must appear only once.",
        "line 606, id: The id '7' is on line 10 already; it must appear only once.",
    ]
    assert [error.partition(":")[0] for error in outcome.errors[2:]] == ["line 606, nature"]


@pytest.mark.contract("C2", "H4")
def test_an_oid_is_unique_within_the_file_and_the_repository(import_currencies, alice):
    """Every collision is reported, beside the other errors."""
    alice.send("POST", alice.currency(), currency("EUR", oid="o-eur"))
    outcome = import_currencies(
        CURRENCY_HEADINGS
        + "USD,o-usd,Dollar,2,0.0000,\n"
        + "CHF,o-usd,Franc,2,0.0000,\n"
        + "GBP,o-eur,Pound,2,0.0000,\n"
        + "JPY,o-jpy,Yen,none,0.0000,\n"
        + "EUR,o-new,Euro,2,0.0000,\n"
    )
    assert outcome.errors[0] == "line 3, oid: The oid 'o-usd' is on line 2 already; it must appear only once."
    places = ["line 3, oid", "line 4, oid", "line 5, decimalNumbers", "line 6, oid"]
    assert [error.partition(":")[0] for error in outcome.errors] == places
    for error, value in zip(outcome.errors[1:], ("o-eur", "none", "o-new"), strict=True):
        assert value in error
    assert list(Currency.objects.values_list("element_id", flat=True)) == ["EUR"]
