"""Text is stored and returned exactly as it was sent."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import account, currency, read
from tests.strategies import get, put, texts

REFERENCE = "monthlySplittingRules.reference"
# The texts of an account, and how long each may be.
PLACES: dict[str, int] = {
    "descriptions.en": 1000,
    "alternativeDescriptions.zh-Hant": 1000,
    "customAttributes.Owner": 1000,
    "conversion.referenceAccountForInitialBalance": 128,
    "documentationLink": 2000,
    **{f"restrictions.customDimension{number}.dimensionName": 128 for number in range(1, 6)},
    "restrictions.ctpRestriction.id": 128,
    "restrictions.ctpRestriction.description": 1000,
    "rules.accrual.debitAccrual.id": 128,
    "rules.accrual.creditAccrual.description": 1000,
    "consolidation.bankingData.bankitReportingMItem.id": 128,
    "consolidation.bankingData.icIitemOld.description": 1000,
    f"{REFERENCE}.referenceAccount.id": 128,
    f"{REFERENCE}.referenceAccount.description": 1000,
    f"{REFERENCE}.referenceAccountHierarchy.hierarchyId": 128,
    f"{REFERENCE}.referenceAccountHierarchy.nodeId": 128,
    f"{REFERENCE}.referenceAccountHierarchy.descriptionId": 128,
    f"{REFERENCE}.referenceSenario": 128,
    f"{REFERENCE}.entityCtpFilter": 128,
    "cashFlowPlanning.other.additionalCreditAccrualAccount.id": 128,
    "cashFlowPlanning.revaluationDevaluation.debit.description": 1000,
}
# And in a currency.
CURRENCY_PLACES = {"referenceCurrency.id": 128, "xbrlContent": 1000, "descriptions.en": 1000, "description": 1000}
places = pytest.mark.parametrize(("path", "length"), PLACES.items())


def with_text(path: str, text: str) -> dict[str, Any]:
    payload = account()
    put(payload, path, text)
    return payload


@pytest.mark.contract("C19")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.fixed_dictionaries({path: texts(length) for path, length in PLACES.items()}))
def test_any_text_in_any_place_of_an_account_comes_back(alice, values):
    """No trimming, no normalisation: all places at once, in the response, in a read and in a list."""
    payload = account()
    for path, text in values.items():
        put(payload, path, text)
    with transaction.atomic():
        created = alice.send("POST", alice.account(), payload)
        listed = read(alice.get(alice.account()))
        transaction.set_rollback(True)

    assert created.status_code == 201, created.content
    assert {path: get(read(created), path) for path in values} == values
    assert listed == [read(created)]


@pytest.mark.contract("C19")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.fixed_dictionaries({path: texts(length) for path, length in list(CURRENCY_PLACES.items())[:3]}))
def test_any_text_in_any_place_of_a_currency_comes_back(alice, values):
    """The same for currencies."""
    payload = currency()
    for path, text in values.items():
        put(payload, path, text)
    with transaction.atomic():
        created = alice.send("POST", alice.currency(), payload)
        transaction.set_rollback(True)

    assert created.status_code == 201, created.content
    assert {path: get(read(created), path) for path in values} == values


@pytest.mark.contract("C19")
@places
def test_a_text_of_an_account_may_be_as_long_as_its_kind_allows(alice, path, length):
    """Counted in characters, whatever their bytes: the longest is kept, one more is refused at the field."""
    longest = alice.send("POST", alice.account(), with_text(path, "é😀" * (length // 2)))
    longer = alice.send("PUT", alice.account("elements/1000"), with_text(path, "x" * (length + 1)))

    assert longest.status_code == 201, longest.content
    assert get(read(longest), path) == "é😀" * (length // 2)
    assert longer.status_code == 400
    [error] = longer.json()["errors"]
    assert error["path"] == path
    assert f"the limit is {length:,}." in error["message"]
    assert len(error["message"]) < 400
