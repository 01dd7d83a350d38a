"""What the cells of a file say beyond plain text, for what is stored."""

import pytest

from tests.bulkops.save.bulk import element
from tests.factories import account, currency

pytestmark = pytest.mark.contract("H4")

HEADINGS = "id,descriptions.en,descriptions.de,customAttributes.a,documentationLink,dataEntryAndReporting.class\n"


@pytest.fixture
def cash(alice):
    """The account 1000, stored."""
    before = account(
        "1000",
        customAttributes={"a": "1"},
        documentationLink="https://manual.example.com/cash",
        dataEntryAndReporting={"class": "ASSET"},
    )
    assert alice.send("POST", alice.account(), before).status_code == 201


@pytest.mark.contract("C3", "C19")
def test_empty_texts_and_nulls_are_distinguished_from_unset_fields(import_accounts, alice, cash):
    """An entry of a map may be there without a text, and a leaf be null instead of its default (contract C15)."""
    outcome = import_accounts(HEADINGS + "1000,Cash,[[null]],[[empty]],[[empty]],[[null]]\n")
    assert outcome.errors == []
    now = element(alice, "account", "1000")
    assert now["descriptions"] == {"en": "Cash", "de": None}
    assert now["customAttributes"] == {"a": ""}
    assert now["documentationLink"] == ""
    assert now["dataEntryAndReporting"]["class"] is None


@pytest.mark.contract("C19")
@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("[[text]]=1+1", "=1+1"),
        ("[[text]][[null]]", "[[null]]"),
        ("[[text]]", ""),
        ("'quoted", "'quoted"),
        ("\\N", "\\N"),
        ("=1+1", "=1+1"),
        ("[[other]]", "[[other]]"),
        (" [[null]]", " [[null]]"),
    ],
)
def test_any_text_can_be_written_and_those_of_others_are_taken_as_they_are(import_accounts, alice, cash, cell, text):
    """A leading apostrophe or backslash is part of the text."""
    outcome = import_accounts(f"id,documentationLink\n1000,{cell}\n")
    assert outcome.errors == []
    assert element(alice, "account", "1000")["documentationLink"] == text


def test_an_empty_text_is_an_error_where_no_text_can_be(import_accounts, cash):
    """It is not taken for "not set"."""
    outcome = import_accounts("id,nature,dataEntryAndReporting.icManagement\n1000,[[empty]],[[empty]]\n")
    places = [error.partition(":")[0] for error in outcome.errors]
    assert places == ["line 2, nature", "line 2, dataEntryAndReporting.icManagement"]


@pytest.mark.contract("C10")
@pytest.mark.parametrize(("cell", "value"), [("true", True), ("FALSE", False), ("1.50", "1.50"), ("[[null]]", None)])
def test_a_coefficient_is_a_number_or_a_boolean(import_currencies, alice, cell, value):
    alice.send("POST", alice.currency(), currency("EUR", referenceCurrency={"id": "USD", "coefficient": "2"}))
    assert import_currencies(f"id,referenceCurrency.coefficient\nEUR,{cell}\n").errors == []
    assert element(alice, "currency", "EUR")["referenceCurrency"] == {"id": "USD", "coefficient": value}


@pytest.mark.contract("C8")
def test_a_bundle_whose_last_value_is_taken_away_is_null(import_accounts, alice, cash):
    """And null it stays, when its cells are empty."""
    headings = "id,cashFlowPlanning.other.debit.id,monthlySplittingRules.reference.referenceSenario\n"
    for cells in ("9000,S1", ",", ","):
        outcome = import_accounts(f"{headings}1000,{cells}\n")
        assert outcome.errors == []
    assert outcome.output.endswith("0 changed, 1 unchanged.\n")
    now = element(alice, "account", "1000")
    assert (now["cashFlowPlanning"], now["monthlySplittingRules"]["reference"]) == (None, None)
