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


@pytest.mark.contract("D1", "D2", "D3", "D4")
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("id==EUR", ["EUR"]),
        ("id!=EUR", ["JPY", "USD", "XAU", "eur"]),
        ("id=='EU*'", []),
        ("id=like=U", ["EUR", "USD", "XAU"]),
        ("id=ilike=U", ["EUR", "USD", "XAU", "eur"]),
        ("id=in=(EUR,USD,none)", ["EUR", "USD"]),
        ("id=out=(EUR,USD)", ["JPY", "XAU", "eur"]),
        ("id>JPY;id<=XAU", ["USD", "XAU"]),
        ("decimalNumbers=ge=2 and id==EUR or decimalNumbers==0", ["EUR", "JPY"]),
        ("(id==EUR,id==USD);decimalNumbers==3", ["USD"]),
        ("preferred==true", ["EUR"]),
        ("preferred!=true", ["JPY", "USD", "XAU", "eur"]),
        ("preferred=isnull=true", ["JPY", "XAU", "eur"]),
        ("percentageDifference==0", ["EUR", "USD", "XAU"]),
        ("percentageDifference>9.5", ["JPY"]),
        ("percentageDifference<0", ["eur"]),
        ("referenceCurrency.id==EUR", ["USD"]),
        ("referenceCurrency.coefficient==1.1", ["USD"]),
        ("referenceCurrency.coefficient==true", ["XAU"]),
        ("xbrlContent=isnull=false", ["XAU", "eur"]),
        ("xbrlContent==''", ["eur"]),
        ("descriptions==Euro", ["EUR", "USD", "XAU"]),
        ("descriptions!=Euro", ["JPY", "eur"]),
        ("descriptions.it==Euro", ["EUR"]),
        ("descriptions.it!=Euro", ["JPY", "USD", "XAU", "eur"]),
        ("descriptions.de=isnull=true", ["EUR", "JPY"]),
        ("descriptions.xx=isnull=false", []),
        ("description==Yen", ["JPY"]),
        ("description=isnull=true", ["eur"]),
        (r"descriptions.de=like='100%_*'", ["eur"]),
        (r"descriptions.de=like='% \\\\'", []),
        (r"descriptions.de=ilike='\\ öl'", ["eur"]),
        (
            "updateInfo.user==system;updateInfo.origin==IMPORT;updateInfo.date>2020-01-01",
            ["EUR", "JPY", "USD", "XAU", "eur"],
        ),
        ("", ["EUR", "JPY", "USD", "XAU", "eur"]),
    ],
)
def test_currencies_are_filtered_by_every_kind_of_field(currencies, text, ids):
    """Text, integer, decimal text, boolean, timestamp, enum, map; each operator; an empty filter selects all."""
    assert currencies(text) == ids


@pytest.mark.contract("C6", "D2", "D3", "D4")
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ('id=="1000"', ["1000"]),
        ('descriptions=like="as"', ["1000", "2000"]),
        ("descriptions.de==Bank", ["3000"]),
        ("description=isnull=true", ["3000"]),
        ('type=="DETAIL";nature=="BALANCE_SHEET"', ["1000"]),
        ("nature=like=LOSS", ["2000"]),
        ('conversion-conversionType=="AVERAGE"', ["2000"]),
        ("conversion.conversionType=out=(AVERAGE,FINAL)", []),
        ("consolidation.rules.excludeFromProportionalCalculation==false", ["2000"]),
        ("rules.consolidaton.excludeFromProportionalCalculation!=false", ["1000", "3000"]),
        ("consolidation.rules.useAccountForSetup==FALSE", ["2000"]),
        ("conversion.referenceAccountForInitialBalance==1000", ["2000"]),
        ("dataEntryAndReporting.validity.startDate==2026-02-01T00:30:00+0100", ["2000"]),
        ("dataEntryAndReporting.validity.startDate<2026-02-01", ["2000"]),
        ("dataEntryAndReporting.validity.startDate!=2026-02-01", ["1000", "2000", "3000"]),
        ("dataEntryAndReporting.class=='INCREASE IN LIABILITIES'", ["2000"]),
        ("dataEntryAndReporting.class==INCREASE_IN_LIABILITIES", ["2000"]),
        ("dataEntryAndReporting.class==NONE", ["1000", "3000"]),
        ("restrictions.customDimension1.restriction==RESTRICTED", ["2000"]),
        ("restrictions.customDimension1.restricted=in=(RESTRICTED,NONE)", ["2000", "3000"]),
        ("restrictions.customDimension5.restriction=isnull=false", ["2000"]),
        ("CtpElement.id==C1", ["2000"]),
        ("restrictions.ctpRestriction.description=ilike=PART", ["2000"]),
        ("rules.grossAmountEqualICSum==true", ["2000"]),
        ("rules.accrual.debit.id==7", ["2000"]),
        ("debitAccrual.Accrual.description==Accrued", ["2000"]),
        ("rules.accrual.creditAccrual.id!=7", ["1000", "2000", "3000"]),
        ("bankingData.consolidation.icItemOld.changeSign==true", ["2000"]),
        ("consolidation.bankingData.icIitemOld.id==B1", ["2000"]),
        ("monthlySplittingRules.reference.referenceScenario==S1", ["2000"]),
        ("monthlySplittingRules.reference.entityCtpFilter==E-77", ["2000"]),
        ("cashFlowPlanning.receivablePayble.debit.id==R1", ["2000"]),
        ("cashFlowPlanning.revaluationDevaluation.enable=isnull=true", ["1000", "3000"]),
        ("alternativesDescriptions.fr==Caisse", ["2000"]),
        ("alternativeDescriptions!=Caisse", ["1000", "3000"]),
        ("customAttributes.region==North", ["1000"]),
        ("customAttributes==North", ["1000"]),
        ("customAttributes.empty=isnull=true", ["1000", "2000", "3000"]),
        ("documentationLink=like='/b'", ["1000"]),
    ],
)
def test_accounts_are_filtered_by_listed_and_other_fields_in_both_spellings(accounts, text, ids):
    """The fields that the specification lists, and scalar leaves of every group beside them."""
    assert accounts(text) == ids


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


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("id==" + "x" * 4_093, "TOO_LONG"),
        (";".join(["id==a"] * 51), "TOO_MANY"),
        ("(" * 21 + "id==a" + ")" * 21, "TOO_DEEP"),
        (f"id=in=({','.join(['a'] * 101)})", "TOO_MANY"),
        ("decimalNumbers==two", "INVALID_VALUE"),
        ("decimalNumbers==2.0", "INVALID_VALUE"),
        ("preferred==1", "INVALID_VALUE"),
        ("percentageDifference==1,5", "SYNTAX"),
        ("updateInfo.origin==OTHER", None),
        ("decimalNumbers=like=2", None),
        ("updateInfo.date=ilike=t", None),
        ("xbrlContent=='a\nb'", None),
        ("xbrlContent==a\n", "SYNTAX"),
        ("preferred>false", "OPERATOR_NOT_ALLOWED"),
        ("referenceCurrency==EUR", "UNKNOWN_FIELD"),
        ("descriptions.e==x", "UNKNOWN_FIELD"),
        ("id=nothing=1", "UNKNOWN_OPERATOR"),
        ("id=isnull=yes", "INVALID_VALUE"),
    ],
)
def test_a_filter_that_cannot_be_answered_is_a_400_with_its_reason(alice, text, code):
    """Limits, values of the wrong type, operators of the wrong kind, unknown fields."""
    response = alice.get(alice.currency(), {"filter": text})
    assert response.status_code == (200 if code is None else 400)
    if code is not None:
        assert response.json()["errors"][0] == {**response.json()["errors"][0], "path": "filter", "code": code}


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    "text",
    [
        "id==" + "x" * 4_092,
        ";".join(["id!=a"] * 50),
        "(" * 20 + "id==a" + ")" * 20,
        f"id=in=({','.join(['a'] * 100)})",
    ],
    ids=["length", "conditions", "depth", "values"],
)
def test_a_filter_at_its_limit_is_answered(alice, text):
    """4,096 characters, 50 conditions, depth 20, 100 values."""
    assert alice.get(alice.account("elements-count"), {"filter": text}).status_code == 200
