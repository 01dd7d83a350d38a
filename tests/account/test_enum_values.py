"""The values of enums, as the specification lists them."""

from typing import Any

import pytest

from tests.factories import account, read
from tests.strategies import get, put

RESTRICTIONS = [
    "NONE",
    "RESTRICTED",
    "RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION",
    "RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS",
]
AMOUNTS = ["DO_NOT_CHECK", "CHECK_ONLY_IC_AMOUNTS", "CHECK_GROSS_AND_IC_AMOUNTS"]
REFERENCE = "monthlySplittingRules.reference"
# The specification's table of fields, once more.
VALUES: dict[str, list[str]] = {
    "nature": ["BALANCE_SHEET", "PROFIT_AND_LOSS", "GUARANTIES_AND_COMMITMENTS", "OTHER_VARIATIONS", "OTHER_STOCKS"],
    "type": ["NORMAL", "DETAIL", "VARIATION"],
    "conversion.conversionType": [
        "PROFIT_AND_LOSS",
        "AVERAGE",
        "PERIOD_AVERAGE",
        "FINAL",
        "HISTORICAL",
        "PREVIOUS_PROFIT_AND_LOSS",
        "PREVIOUS_FINAL",
        "INITIAL_BALANCE",
        "YEAR_TO_YEAR",
        "NONE",
    ],
    **{f"restrictions.customDimension{number}.restriction": RESTRICTIONS for number in range(1, 6)},
    "dataEntryAndReporting.class": [
        *("NONE", "ASSET", "COST", "DECREASE_IN_ASSETS", "DECREASE_IN_LIABILITIES", "INCREASE_IN_ASSETS"),
        *("INCREASE IN LIABILITIES", "LIABILITY", "REVENUE"),
    ],
    "consolidation.rules.useAccountForSetup": ["NO", "FINANCIAL_INVESTMENTS", "NET_EQUITY", "FALSE"],
    "rules.validationChecks.standardSignCheck": ["ANY", "DEBIT", "CREDIT"],
    "rules.validationChecks.icCapacityCheck": ["DO_NOT_CHECK", "CHECK_MINUS_EQUALS_TO", "CHECK_EQUALS_TO"],
    "rules.validationChecks.fxRatesCheck": AMOUNTS,
    "rules.validationChecks.icSignCheck": ["DO_NOT_CHECK", "AS_GROSS_AMOUNT", "DEBIT", "CREDIT"],
    "rules.validationChecks.notesCheck": AMOUNTS,
    "monthlySplittingRules.monthlySplittingType": [
        "NO",
        "FLAT",
        "COEFFICIENT_445",
        "COEFFICIENT_454",
        "COEFFICIENT_544",
        "ADVANCED_MANAGEMENT",
    ],
    **{f"{REFERENCE}.customDimension{number}Filter": ["NONE", "LOWEST_LEVEL"] for number in range(1, 6)},
    f"{REFERENCE}.categoryFilter": ["NONE", "LOWEST_LEVEL"],
    f"{REFERENCE}.entityCtpFilter": ["NONE", "LOWEST_LEVEL"],
    f"{REFERENCE}.customDimension2CtpFilter": ["NONE", "LOWEST_LEVEL"],
}
CLASS = "dataEntryAndReporting.class"


def with_value(path: str, value: Any, id: str = "1000") -> dict[str, Any]:
    payload = account(id)
    put(payload, path, value)
    return payload


@pytest.mark.contract("C7")
@pytest.mark.parametrize(("path", "values"), VALUES.items(), ids=VALUES)
def test_every_value_of_the_specification_is_stored_and_returned_as_sent(alice, path, values):
    """And found by a filter that names it."""
    for value in values:
        created = alice.send("POST", alice.account(), with_value(path, value, id=value))
        assert created.status_code == 201, created.content
        assert get(read(created), path) == value
    for value in values:
        [found] = read(alice.get(alice.account(f"elements?filter={path}=='{value}'")))
        assert found["id"] == value


@pytest.mark.contract("C7")
def test_increase_in_liabilities_with_underscores_becomes_the_listed_spelling(alice):
    """Also in a filter."""
    created = alice.send("POST", alice.account(), with_value(CLASS, "INCREASE_IN_LIABILITIES"))

    assert get(read(created), CLASS) == "INCREASE IN LIABILITIES"
    assert len(read(alice.get(alice.account(f"elements?filter={CLASS}==INCREASE_IN_LIABILITIES")))) == 1


@pytest.mark.contract("C7")
@pytest.mark.parametrize(("value", "status"), [("E-0042", 201), ("x" * 128, 201), ("x" * 129, 400), (7, 400)])
def test_the_counterpart_filter_takes_an_identifier_too(alice, value, status):
    """Up to 128 characters."""
    path = f"{REFERENCE}.entityCtpFilter"

    response = alice.send("POST", alice.account(), with_value(path, value))

    assert response.status_code == status
    assert status == 400 or get(read(response), path) == value
