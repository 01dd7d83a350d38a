"""Filters and orders of lists."""

import pytest
from django.utils import timezone

from account.serializers import ACCOUNT_WIRE
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.rsql.fields import ValueKind
from tests.factories import account, currency, read
from tests.storing import store_accounts, store_currencies


@pytest.mark.contract("D3")
@pytest.mark.parametrize("wire", [CURRENCY_WIRE, ACCOUNT_WIRE], ids=["currency", "account"])
def test_every_leaf_can_be_filtered_and_counted(alice, wire):
    """`=isnull=` takes every kind of field; list and count agree; only a currency's oid is refused."""
    path = alice.currency if wire is CURRENCY_WIRE else alice.account
    for leaf in wire.places:
        counted = alice.get(path("elements-count"), {"filter": f"{leaf}=isnull=true"})
        assert counted.status_code == (400 if leaf == "oid" else 200), leaf


@pytest.mark.contract("D3")
def test_the_oid_is_refused_in_a_filter_and_taken_in_a_sort_order(alice):
    """The message says that a filter must not use it."""
    refused = alice.get(alice.currency(), {"filter": "oid==1"})
    assert (refused.status_code, refused.json()["code"]) == (400, "NOT_FILTERABLE")
    assert "oid" in refused.json()["detail"]
    assert alice.get(alice.currency("elements-count"), {"sort": "oid"}).status_code == 200


@pytest.mark.contract("D3")
def test_description_is_the_default_language_of_the_repository(bob, contoso):
    """Contoso speaks German."""
    store_currencies(contoso, currency("A", descriptions={"de": "Mark"}), currency("B", descriptions={"en": "Mark"}))
    found = bob.get(bob.currency(db_id="contoso"), {"filter": "description==Mark"})
    assert [(element["id"], element["description"]) for element in read(found)] == [("A", "Mark")]


@pytest.fixture
def ids(alice, northwind):
    store_currencies(
        northwind,
        currency("b", oid="3", preferred=True, percentageDifference="9", descriptions={"en": "é"}),
        currency("B", oid="2", preferred=False, percentageDifference="10.0", descriptions={"en": "Z"}, xbrlContent="x"),
        currency("ä", oid="1", percentageDifference="-1", descriptions={"en": "a"}, decimalNumbers=3),
        currency("a", oid="4", percentageDifference="09.00", descriptions={"de": "-"}, decimalNumbers=0),
        currency("𝔸", oid="5", referenceCurrency={"coefficient": "2"}, preferred=True, xbrlContent=""),
        currency("｡", oid="6", referenceCurrency={"coefficient": False}, percentageDifference="0"),
    )
    Currency.objects.update(update_date=timezone.now())  # all at one moment
    return lambda sort: "".join(
        element["id"] for element in read(alice.get(alice.currency(), {} if sort is None else {"sort": sort}))
    )


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (None, "Babä｡𝔸"),
        ("id", "Babä｡𝔸"),
        ("-id", "𝔸｡äbaB"),
        ("id:desc", "𝔸｡äbaB"),
        ("id,desc", "𝔸｡äbaB"),
        ("id,asc", "Babä｡𝔸"),
        ("id:asc", "Babä｡𝔸"),
        ("oid", "äBba𝔸｡"),
        ("-oid", "｡𝔸abBä"),
        ("decimalNumbers", "aBb｡𝔸ä"),
        ("-decimalNumbers;-id", "ä𝔸｡bBa"),
        ("percentageDifference", "ä｡𝔸abB"),
        ("-percentageDifference", "Bab｡𝔸ä"),
        ("preferred", "Bb𝔸aä｡"),
        ("-preferred", "b𝔸Baä｡"),
        ("xbrlContent", "𝔸Babä｡"),
        ("-xbrlContent", "B𝔸abä｡"),
        ("referenceCurrency.coefficient", "𝔸｡Babä"),
        ("descriptions.en,-id", "𝔸｡Bäba"),
        ("updateInfo.date,updateInfo.user,id:desc", "𝔸｡äbaB"),
    ],
)
def test_currencies_are_sorted_with_nulls_last_and_the_id_as_the_last_key(ids, sort, order):
    """Ids and texts by code point, decimal text as numbers, in both directions with nulls at the end."""
    assert ids(sort) == order


@pytest.mark.contract("D5")
@pytest.mark.parametrize("wire", [CURRENCY_WIRE, ACCOUNT_WIRE], ids=["currency", "account"])
def test_every_leaf_but_a_map_can_be_sorted_by(alice, northwind, wire):
    """A map has no order, but each of its entries has."""
    store_currencies(northwind, currency("A", oid="1"), currency("B", oid="2"))
    store_accounts(northwind, account("A"), account("B"))
    path = alice.currency if wire is CURRENCY_WIRE else alice.account
    for leaf, place in wire.places.items():
        response = alice.get(path(), {"sort": leaf})
        if place.leaf.kind is ValueKind.TEXT_MAP:
            assert (response.status_code, response.json()["code"]) == (400, "NOT_SORTABLE")
        else:
            assert [element["id"] for element in read(response)] == ["A", "B"], leaf
