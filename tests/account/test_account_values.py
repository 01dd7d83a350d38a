"""Dates and enumerations of an account."""

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


def stored(alice, start, end=None):
    """The returned validity for one that was sent."""
    payload = account(dataEntryAndReporting={"validity": {"startDate": start, "endDate": end}})
    response = alice.send("POST", alice.account(), payload)
    assert response.status_code == 201, response.content
    return read(response)["dataEntryAndReporting"]["validity"]


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("2024-02-29T13:14:15.678+0000", "2024-02-29T13:14:15.678+0000"),
        ("2024-02-29T13:14:15.6Z", "2024-02-29T13:14:15.600+0000"),
        ("2024-02-29", "2024-02-29T00:00:00.000+0000"),
        ("2024-03-01T00:30:00+0200", "2024-02-29T22:30:00.000+0000"),
        ("0001-01-01", "0001-01-01T00:00:00.000+0000"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999+0000"),
        (None, None),
    ],
)
def test_a_time_is_answered_in_one_form(alice, sent, answered):
    """Whatever form of ISO 8601 it was sent in, it is the same instant, in UTC, with milliseconds."""
    assert stored(alice, sent)["startDate"] == answered
    assert read(alice.get(alice.account("elements/1000")))["dataEntryAndReporting"]["validity"]["startDate"] == answered


@pytest.mark.contract("J1")
def test_the_moment_of_a_question_is_not_cut(alice):
    """What was committed within the rest of the millisecond would be missing."""
    response = alice.get(alice.account(), {"asOf": "2024-02-29T13:14:15.1239Z"})
    assert "has a fraction of a millisecond" in response.json()["detail"]


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    ("start", "end", "status"),
    [
        ("2024-01-01", "2024-01-01", 201),
        ("2024-01-01T00:00:00+0100", "2023-12-31T23:00:00Z", 201),
        ("2024-01-01", None, 201),
        (None, "2024-01-01", 201),
        ("2024-01-02", "2024-01-01", 400),
        ("2024-01-01T00:00:00.001Z", "2024-01-01", 400),
        ("2024-01-01T00:00:00-0100", "2024-01-01T00:30:00Z", 400),
    ],
)
def test_a_validity_does_not_end_before_it_starts(alice, start, end, status):
    """Compare them as instants; the error is at `endDate` and names both."""
    payload = account(dataEntryAndReporting={"validity": {"startDate": start, "endDate": end}})

    response = alice.send("POST", alice.account(), payload)

    assert response.status_code == status
    if status == 400:
        [error] = response.json()["errors"]
        assert error["path"] == "dataEntryAndReporting.validity.endDate"
        assert "startDate" in error["message"]
