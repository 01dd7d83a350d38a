"""Members of a body that are not fields."""

import pytest

from tests.factories import account, currency, json_bytes, read


@pytest.mark.contract("C5")
@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"colour": "red"}, "colour"),
        ({"": "red"}, '""'),
        ({"Nature": "BALANCE_SHEET"}, "Nature"),
        ({"description": "Cash"}, "description"),
        ({"rules": {"vat": 1}}, "rules.vat"),
        ({"rules": {"accrual": {"debitAccrual": {"name": "x"}}}}, "rules.accrual.debitAccrual.name"),
        ({"restrictions": {"customDimension6": {}}}, "restrictions.customDimension6"),
        (
            {"consolidation": {"bankingData": {"icIitemOld": {"sign": True}}}},
            "consolidation.bankingData.icIitemOld.sign",
        ),
        ({"cashFlowPlanning": {"variation": {"enable": True}}}, "cashFlowPlanning.variation.enable"),
        ({"bankingData": {"other": None}}, "bankingData.other"),
        ({"debitAccrual": {"accrual": {"id": "1"}}}, "debitAccrual.accrual"),
        ({"rules": {"consolidaton": {"vat": 1}}}, "consolidation.rules.vat"),
    ],
)
def test_an_unknown_member_is_refused_by_its_path(alice, fields, path):
    """At any depth, in any group, under any spelling of the group: nothing is dropped silently."""
    response = alice.send("POST", alice.account(), account(**fields))

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert (error["path"], error["code"]) == (path, "UNKNOWN_MEMBER")


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


@pytest.mark.contract("C5")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_replacing_and_modifying_refuse_unknown_members_too(alice, method):
    """And leave the element as it was."""
    before = read(alice.send("POST", alice.account(), account()))

    response = alice.send(method, alice.account("elements/1000"), account(type="DETAIL", colour="red"))

    assert response.status_code == 400
    assert read(alice.get(alice.account("elements/1000"))) == before


@pytest.mark.contract("C5", "B1")
@pytest.mark.parametrize("value", [5, "x", True, [], [{}]])
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
