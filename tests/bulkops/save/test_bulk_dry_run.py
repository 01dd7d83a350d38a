"""`?dryRun=true`: everything except saving."""

import pytest

from account.models import Account, AccountVersion, CalculationLogic
from currency.models import Currency, CurrencyVersion
from tests.bulkops.save.bulk import DIMENSIONS, elements, patch, places, refused, save, send, without
from tests.factories import MAKERS, account, read

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


@pytest.mark.contract("A7")
@pytest.mark.parametrize("value", ["True", "1", "yes", "", "false%20"])
def test_any_other_value_is_refused(alice, value):
    """It never counts as false: nothing is saved."""
    (error,) = refused(send(alice, "account", {"post": [account()]}, f"?dryRun={value}"))["errors"]

    assert (error["path"], error["code"]) == ("dryRun", "INVALID")
    assert "must be false or true" in error["message"]
    assert elements(alice, "account") == []
