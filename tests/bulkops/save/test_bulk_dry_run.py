"""`?dryRun=true`: everything except saving."""

import pytest

from account.models import Account, AccountVersion, CalculationLogic
from currency.models import Currency, CurrencyVersion
from tests.bulkops.save.bulk import DIMENSIONS, elements, patch, places, refused, save, send, without
from tests.factories import MAKERS, account, currency, read

pytestmark = pytest.mark.contract("E4")


def stored():
    """How many rows of each kind there are."""
    kinds = (Account, AccountVersion, CalculationLogic, Currency, CurrencyVersion)
    return [kind.objects.count() for kind in kinds]


def test_accounts_are_answered_as_if_they_were_saved(alice):
    """The same response as without it, except for the instant; nothing of it is stored."""
    save(alice, "account", post=[account("1"), account("2")])
    before, rows = elements(alice, "account"), stored()
    body = {
        "post": [account("9", rules={"grossAmountEqualICSum": True}), account("3")],
        "put": [account("1", type="DETAIL")],
        "patch": [patch("2", documentationLink="x")],
    }

    tried = send(alice, "account", body, "?dryRun=true")

    assert tried.status_code == 200
    assert tried["Preference-Applied"] == "dryRun"
    answer = read(tried)
    assert [element["id"] for element in answer] == ["9", "3", "1", "2"]
    assert (elements(alice, "account"), stored()) == (before, rows)

    saved = send(alice, "account", body)
    assert "Preference-Applied" not in saved
    assert [without(element) for element in answer] == [without(element) for element in read(saved)]
    assert len(elements(alice, "account")) == 4


def test_currencies_are_answered_as_if_they_were_saved(alice):
    """New, replaced and patched ones."""
    save(alice, "currency", post=[currency("A"), currency("B")])
    before, rows = elements(alice, "currency"), stored()
    body = {
        "post": [currency("C")],
        "put": [currency("A", decimalNumbers=5)],
        "patch": [patch("B", decimalNumbers=5)],
    }

    tried = send(alice, "currency", body, "?dryRun=true")

    assert (tried.status_code, tried["Preference-Applied"]) == (200, "dryRun")
    assert read(tried) == {"code": "SUCCESS"}
    assert (elements(alice, "currency"), stored()) == (before, rows)


@pytest.mark.contract("B1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_errors_are_reported_as_without_it(alice, dimension):
    """Those that are found only during writing, too; an error has no Preference-Applied."""
    make = MAKERS[dimension]
    save(alice, dimension, post=[make("taken")])
    body = {"post": [make("taken"), make("new", descriptions={})], "patch": [patch("gone")]}

    tried = send(alice, dimension, body, "?dryRun=true")

    assert "Preference-Applied" not in tried
    report = refused(tried)
    assert places(report) == [
        ("/post/0/id", "ALREADY_EXISTS"),
        ("/post/1/descriptions", "BLANK"),
        ("/patch/0/key/id", "ELEMENT_NOT_FOUND"),
    ]
    assert report["errors"] == refused(send(alice, dimension, body))["errors"]


@pytest.mark.contract("E2")
def test_references_are_checked_too(alice):
    """In the mode STRICT."""
    referring = account("1", rules={"accrual": {"debitAccrual": {"id": "gone"}}})

    report = refused(send(alice, "account", {"saveMode": "STRICT", "put": [referring]}, "?dryRun=true"))

    assert [error["code"] for error in report["errors"]] == ["UNKNOWN_REFERENCE"]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_false_saves(alice, dimension):
    """As if it were not there."""
    response = send(alice, dimension, {"post": [MAKERS[dimension]("1")]}, "?dryRun=false")

    assert (response.status_code, "Preference-Applied" in response) == (200, False)
    read(response)
    assert len(elements(alice, dimension)) == 1


@pytest.mark.contract("A7")
@pytest.mark.parametrize("value", ["True", "1", "yes", "", "false%20"])
def test_any_other_value_is_refused(alice, value):
    """It never counts as false: nothing is saved."""
    (error,) = refused(send(alice, "account", {"post": [account()]}, f"?dryRun={value}"))["errors"]

    assert (error["path"], error["code"]) == ("dryRun", "INVALID")
    assert "must be false or true" in error["message"]
    assert elements(alice, "account") == []


@pytest.mark.contract("A7")
@pytest.mark.parametrize(
    ("query", "errors"),
    [
        ("?dryrun=true", [("dryrun", "UNKNOWN_PARAMETER")]),
        ("?dryRun=true&dryRun=true", [("dryRun", "REPEATED_PARAMETER")]),
        ("?saveMode=STRICT&dryRun=true", [("saveMode", "UNKNOWN_PARAMETER")]),
        ("?filter=id==1&x=1", [("filter", "UNKNOWN_PARAMETER"), ("x", "UNKNOWN_PARAMETER")]),
        ("?x=1&dryRun=maybe", [("x", "UNKNOWN_PARAMETER"), ("dryRun", "INVALID")]),
    ],
)
def test_other_parameters_are_refused(alice, query, errors):
    """A mistyped parameter never saves by accident; each error of the query is reported."""
    report = refused(send(alice, "account", {"post": [account()]}, query))

    assert places(report) == errors
    assert elements(alice, "account") == []
