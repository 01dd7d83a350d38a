"""The two spellings of account fields: the field list's and the example payloads'."""

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.factories import account, read
from tests.strategies import SPELLINGS, get, put

REFERENCE = {"id": "7", "description": "Seven"}
ITEM = {"id": "7", "description": "Seven", "changeSign": True}
# A value for each difference of the specification's table.
VALUES: dict[str, Any] = {
    "alternativeDescriptions": {"it": "Cassa", "fr": None},
    "conversion.conversionType": "AVERAGE",
    **{f"restrictions.customDimension{number}.restriction": "RESTRICTED" for number in range(1, 6)},
    "consolidation.rules": {"useAccountForSetup": "FALSE", "excludeFromProportionalCalculation": True},
    "consolidation.bankingData.icIitemOld": ITEM,
    "consolidation.bankingData": {
        **dict.fromkeys(
            (
                "bankitReportingMItem",
                "bankitReportingMItemICGroup",
                "bankitReporting1Item",
                "bankitReportingEPItem",
                "ebaSignalingSubAccount",
                "bankitReportingMItemOld",
            ),
            ITEM,
        ),
        "icIitemOld": None,
    },
    "cashFlowPlanning.receivablePayable": {"debit": REFERENCE, "credit": None},
    "rules.accrual.debitAccrual": REFERENCE,
    "rules.accrual.creditAccrual": REFERENCE,
    "monthlySplittingRules.reference.referenceSenario": "BUDGET",
    "restrictions.ctpRestriction": REFERENCE,
}
DIFFERENCES = [pytest.param(listed, example, id=listed) for listed, example in SPELLINGS]
# Selected and filtered are single values: of a group one member stands for all.
SCALARS = [
    pytest.param(f"{listed}{rest}", f"{example}{rest}", value, id=f"{listed}{rest}")
    for listed, example in SPELLINGS
    for rest, value in [
        {
            "alternativeDescriptions": (".it", "Cassa"),
            "consolidation.rules": (".useAccountForSetup", "FALSE"),
            "consolidation.bankingData": (".bankitReportingMItem.id", "7"),
            "cashFlowPlanning.receivablePayable": (".debit.id", "7"),
        }.get(example, (".id", "7") if isinstance(VALUES[example], dict) else ("", VALUES[example]))
    ]
]


@pytest.mark.contract("C6")
@pytest.mark.parametrize(("listed", "example"), DIFFERENCES)
def test_both_spellings_at_once_have_to_agree(alice, listed, example):
    """The same value twice is accepted; two values are refused at the field, in the spelling of responses."""
    agreeing = account()
    put(agreeing, example, VALUES[example])
    put(agreeing, listed, VALUES[example])
    differing = account()
    put(differing, example, VALUES[example])
    put(differing, listed, None)

    assert alice.send("POST", alice.account(), agreeing).status_code == 201
    response = alice.send("PUT", alice.account("elements/1000"), differing)

    assert response.status_code == 400
    assert [(e["path"], e["code"]) for e in response.json()["errors"]] == [(example, "CONFLICTING_SPELLINGS")]


@pytest.mark.contract("C6", "D3", "D5", "D8")
@pytest.mark.parametrize(("listed", "example", "value"), SCALARS)
def test_filters_sort_orders_and_properties_take_both_spellings(alice, listed, example, value):
    """Each finds the account that has the value; a fetch returns the spelling of responses, whichever was requested."""
    alice.send("POST", alice.account(), account("other"))
    payload = account("wanted")
    for path, inner in VALUES.items():
        put(payload, path, inner)
    payload["consolidation"]["bankingData"]["icIitemOld"] = ITEM
    assert alice.send("POST", alice.account(), payload).status_code == 201

    for path in (listed, example):
        query = urlencode({"filter": f"{path}=='{value}'", "sort": f"-{path}", "properties": f"id,{path}"})
        [found] = read(alice.get(alice.account(f"elements-fetch?{query}")))
        assert (found["id"], get(found, example)) == ("wanted", value)


@pytest.mark.contract("C6", "C8")
@pytest.mark.parametrize("group", ["bankingData", "debitAccrual", "creditAccrual"])
@pytest.mark.parametrize("value", [None, {}])
def test_a_group_that_only_the_field_list_has_may_be_null_or_empty(alice, group, value):
    """It means that nothing in it is set."""
    expected = read(alice.send("POST", alice.account(), account()))

    response = alice.send("PUT", alice.account("elements/1000"), account(**{group: value}))

    assert response.status_code == 200, response.content
    assert read(response) == expected


@pytest.mark.contract("C6", "C15")
def test_null_clears_a_group_in_its_other_spelling(alice):
    """`bankingData: null` in a patch clears `consolidation.bankingData` and nothing else."""
    consolidation = {"bankingData": {"icIitemOld": ITEM}, "rules": {"useAccountForSetup": "NO"}}
    alice.send("POST", alice.account(), account(consolidation=consolidation))

    patched = read(alice.send("PATCH", alice.account("elements/1000"), {"bankingData": None}))

    assert set(patched["consolidation"]["bankingData"].values()) == {None}
    assert patched["consolidation"]["rules"]["useAccountForSetup"] == "NO"


@pytest.mark.contract("C6")
def test_null_in_both_spellings_is_not_a_conflict(alice):
    """A group that is null has null members, so null in the other spelling agrees, and a value does not."""
    path = alice.account("elements/1000")

    agreeing = alice.send("PUT", path, account(restrictions=None, CtpElement=None))
    differing = alice.send("PUT", path, account(restrictions=None, CtpElement=REFERENCE))

    assert agreeing.status_code == 201, agreeing.content
    assert [error["path"] for error in differing.json()["errors"]] == ["restrictions.ctpRestriction"]
