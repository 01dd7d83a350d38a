"""The JSON of a currency."""

import pytest

from tests.currency.samples import FULL
from tests.factories import currency, read


@pytest.mark.contract("C4", "C8")
def test_a_minimal_currency_has_every_field(alice):
    """What is not set is null."""
    element = read(alice.send("POST", alice.currency(), currency(oid="7")))

    assert list(element.pop("updateInfo")) == ["user", "date", "origin"]
    assert element == {
        "id": "EUR",
        "oid": "7",
        "descriptions": {"en": "Euro", "de": "Euro"},
        "description": "Euro",
        "preferred": None,
        "decimalNumbers": 2,
        "referenceCurrency": {"id": None, "coefficient": None},
        "percentageDifference": "0.0000",
        "xbrlContent": None,
    }


@pytest.mark.contract("C5", "C8")
def test_a_full_currency_comes_back_as_it_was_sent(alice):
    """Every field of the specification's table, in a fixed order."""
    element = read(alice.send("POST", alice.currency(), FULL))

    assert list(element) == [*FULL, "updateInfo"]
    assert {name: element[name] for name in FULL} == FULL


@pytest.mark.contract("B1", "C8")
def test_required_fields_are_asked_for_by_name(alice):
    """An empty body names them all."""
    response = alice.send("POST", alice.currency(), {})

    assert {(error["path"], error["code"]) for error in response.json()["errors"]} == {
        (path, "REQUIRED") for path in ("id", "descriptions", "decimalNumbers", "percentageDifference")
    }
