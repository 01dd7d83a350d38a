"""The JSON of an account."""

from typing import Any

import pytest

from tests.account.samples import FULL, MINIMAL
from tests.factories import Person, account, read


def created(alice: Person, payload: Any) -> dict[str, Any]:
    response = alice.send("POST", alice.account(), payload)
    assert response.status_code == 201, response.content
    element: dict[str, Any] = read(response)
    assert list(element.pop("updateInfo")) == ["user", "date", "origin"]
    return element


@pytest.mark.contract("C8")
def test_a_minimal_account_has_every_group(alice):
    """What is not set is null or has its default; the order of the fields is fixed."""
    element = created(alice, account())

    assert element == MINIMAL
    assert list(element) == list(MINIMAL)


@pytest.mark.contract("C8", "C5")
def test_a_full_account_comes_back_as_it_was_sent(alice):
    """Every leaf of the specification's field table is set, and returned in its place."""
    assert created(alice, FULL) == FULL


@pytest.mark.contract("C8")
@pytest.mark.parametrize("value", [None, {}])
@pytest.mark.parametrize(
    "group",
    ["restrictions", "dataEntryAndReporting", "rules", "consolidation", "monthlySplittingRules", "cashFlowPlanning"],
)
def test_a_null_or_empty_group_is_an_unset_one(alice, group, value):
    """The response is as if it had been left out."""
    assert created(alice, account(**{group: value})) == MINIMAL


@pytest.mark.contract("C8")
@pytest.mark.parametrize(
    "fields",
    [
        {"restrictions": {"ctpRestriction": {"id": None, "description": None}}},
        {"rules": {"accrual": {"debitAccrual": {}}}},
        {"consolidation": {"bankingData": {"icIitemOld": {"changeSign": None}}}},
        {
            "monthlySplittingRules": {
                "reference": {"referenceAccountHierarchy": {"nodeId": None}, "categoryFilter": None}
            }
        },
        {"cashFlowPlanning": {"variation": {"debit": {"id": None}}, "revaluationDevaluation": {"enable": None}}},
    ],
)
def test_a_reference_in_which_nothing_is_set_is_null(alice, fields):
    """So is the group around it where that may be null."""
    assert created(alice, account(**fields)) == MINIMAL


@pytest.mark.contract("C8")
def test_a_reference_in_which_one_leaf_is_set_is_complete(alice):
    """The other leaves, and the other members of the group, are null."""
    element = created(
        alice,
        account(
            restrictions={"ctpRestriction": {"id": ""}},
            consolidation={"bankingData": {"icIitemOld": {"changeSign": False}}},
            monthlySplittingRules={"reference": {"referenceAccountHierarchy": {"nodeId": "N1"}}},
            cashFlowPlanning={"revaluationDevaluation": {"enable": False}},
        ),
    )

    nothing = {"debit": None, "credit": None}
    assert element["restrictions"]["ctpRestriction"] == {"id": "", "description": None}
    assert element["consolidation"]["bankingData"]["icIitemOld"] == {
        "id": None,
        "description": None,
        "changeSign": False,
    }
    assert element["monthlySplittingRules"]["reference"] == {
        **dict.fromkeys(FULL["monthlySplittingRules"]["reference"]),
        "referenceAccountHierarchy": {"hierarchyId": None, "nodeId": "N1", "descriptionId": None},
    }
    assert element["cashFlowPlanning"] == {
        "variation": nothing,
        "receivablePayable": nothing,
        "liquidity": nothing,
        "other": {**nothing, "additionalCreditAccrualAccount": None, "additionalDebitAccrualAccount": None},
        "revaluationDevaluation": {"enable": False, **nothing},
    }


@pytest.mark.contract("C8", "B1")
def test_required_fields_are_asked_for_by_name(alice):
    """An empty body names them all."""
    response = alice.send("POST", alice.account(), {})

    assert response.status_code == 400
    assert {(error["path"], error["code"]) for error in response.json()["errors"]} == {
        (path, "REQUIRED") for path in ("id", "descriptions", "nature", "type", "conversion.conversionType")
    }


@pytest.mark.contract("C9")
@pytest.mark.parametrize(
    "attributes",
    [{}, {"a.b": "1", 'q"uote': "", "back\\slash": None, "日本": "x", " ": "y", "x" * 128: "z" * 1000}, None],
)
def test_custom_attributes_are_a_map_from_any_name_to_text_or_null(alice, attributes):
    """They come back as they were sent."""
    assert created(alice, account(customAttributes=attributes))["customAttributes"] == attributes
