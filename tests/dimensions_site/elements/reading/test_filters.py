"""`filter` over HTTP: every field of both dimensions, by both spellings."""

import pytest

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from tests.factories import account, currency, read
from tests.storing import store_accounts, store_currencies

CURRENCIES = (
    currency("EUR", oid="1", preferred=True, percentageDifference="0.000", descriptions={"en": "Euro", "it": "Euro"}),
    currency("USD", preferred=False, decimalNumbers=3, referenceCurrency={"id": "EUR", "coefficient": "1.10"}),
    currency("JPY", decimalNumbers=0, percentageDifference="10", descriptions={"en": "Yen", "de": None}),
    currency("XAU", referenceCurrency={"id": "USD", "coefficient": True}, xbrlContent="iso4217:XAU"),
    currency("eur", percentageDifference="-9.50", descriptions={"de": "100%_* \\ ÖL"}, xbrlContent=""),
)
ACCOUNTS = (
    account("1000", type="DETAIL", customAttributes={"region": "North", "empty": None}, documentationLink="http://a/b"),
    account(
        "2000",
        nature="PROFIT_AND_LOSS",
        conversion={"conversionType": "AVERAGE", "referenceAccountForInitialBalance": "1000"},
        alternativeDescriptions={"fr": "Caisse"},
        restrictions={
            "customDimension1": {"dimensionName": "Site", "restriction": "RESTRICTED"},
            "customDimension5": {"restriction": "NONE"},
            "ctpRestriction": {"id": "C1", "description": "Partner"},
        },
        dataEntryAndReporting={
            "class": "INCREASE IN LIABILITIES",
            "icManagement": True,
            "validity": {"startDate": "2026-01-31T23:30:00.000+0000", "endDate": "2026-12-31"},
        },
        rules={
            "grossAmountEqualICSum": True,
            "accrual": {"debitAccrual": {"id": "7", "description": "Accrued"}},
            "validationChecks": {"icSignCheck": "DEBIT"},
        },
        consolidation={
            "rules": {"useAccountForSetup": "FALSE", "excludeFromProportionalCalculation": False},
            "bankingData": {"icIitemOld": {"id": "B1", "changeSign": True}},
        },
        monthlySplittingRules={
            "monthlySplittingType": "COEFFICIENT_445",
            "reference": {"referenceSenario": "S1", "entityCtpFilter": "E-77", "categoryFilter": "LOWEST_LEVEL"},
        },
        cashFlowPlanning={"receivablePayable": {"debit": {"id": "R1"}}, "revaluationDevaluation": {"enable": True}},
    ),
    account("3000", restrictions={"customDimension1": {"restriction": "NONE"}}, descriptions={"de": "Bank"}),
)


@pytest.fixture
def currencies(alice, northwind):
    store_currencies(northwind, *CURRENCIES)
    return lambda text: [found["id"] for found in read(alice.get(alice.currency(), {"filter": text}))]


@pytest.fixture
def accounts(alice, northwind):
    store_accounts(northwind, *ACCOUNTS)
    return lambda text: [found["id"] for found in read(alice.get(alice.account(), {"filter": text}))]


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
