"""Members of a body that are not fields."""

import pytest

from tests.factories import account, currency, json_bytes


@pytest.mark.contract("C5", "B1")
def test_every_unknown_member_is_reported(alice):
    """All at once, beside the other errors."""
    payload = currency(colour=1, size=2, referenceCurrency={"name": "x"}, decimalNumbers="2")

    response = alice.send("POST", alice.currency(), payload)

    assert {error["path"] for error in response.json()["errors"]} == {
        "colour",
        "size",
        "referenceCurrency.name",
        "decimalNumbers",
    }


@pytest.mark.contract("C5", "B1")
@pytest.mark.parametrize("value", [5, [{}]])
@pytest.mark.parametrize(
    "group", ["rules", "consolidation", "bankingData", "debitAccrual", "cashFlowPlanning", "conversion", "CtpElement"]
)
def test_a_group_has_to_be_an_object(alice, group, value):
    """The error is at the group, in the spelling of responses, and says so."""
    response = alice.send("POST", alice.account(), account(**{group: value}))

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["path"] == {"CtpElement": "restrictions.ctpRestriction"}.get(group, group)
    assert error["message"].startswith(f"{error['path']} must be an object, not ")


@pytest.mark.contract("B1", "C5")
@pytest.mark.parametrize("body", [None, 5, "x", True, []])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_body_has_to_be_an_object(alice, method, body):
    """The error is at the body as a whole, and shows what was sent."""
    alice.send("PUT", alice.account("elements/1"), account("1"))

    response = alice.send(method, alice.account("elements" if method == "POST" else "elements/1"), json_bytes(body))

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["path"] == ""
    assert error["message"].startswith("The element must be an object, not ")
