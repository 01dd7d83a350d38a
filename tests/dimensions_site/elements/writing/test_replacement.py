"""Creating and replacing elements."""

import pytest

from tests.account.samples import FULL, MINIMAL
from tests.currency.samples import FULL as FULL_CURRENCY
from tests.factories import account, currency, read


@pytest.mark.contract("C13")
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_an_existing_element_is_not_created_again(alice, dimension):
    """400 ALREADY_EXISTS at `id`, and the element stays as it is."""
    path, payload = (alice.account(), account()) if dimension == "account" else (alice.currency(), currency())
    first = read(alice.send("POST", path, payload))

    response = alice.send("POST", path, payload | {"descriptions": {"en": "Another"}})

    assert response.status_code == 400
    assert response.json()["code"] == "ALREADY_EXISTS"
    [error] = response.json()["errors"]
    assert (error["path"], error["code"]) == ("id", "ALREADY_EXISTS")
    assert f"'{payload['id']}'" in error["message"]
    assert read(alice.get(path)) == [first]


@pytest.mark.contract("C13", "B1")
@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"decimalNumbers": 99}, [("decimalNumbers", "INVALID"), ("id", "ALREADY_EXISTS"), ("oid", "ALREADY_EXISTS")]),
        ({"id": "other", "nature": "x"}, [("nature", "UNKNOWN_MEMBER"), ("oid", "ALREADY_EXISTS")]),
        ({"id": "1\n", "oid": None}, [("id", "INVALID")]),
        ({"id": 1, "oid": 2}, [("id", "INVALID"), ("oid", "INVALID")]),
    ],
)
def test_an_existing_element_is_reported_beside_other_errors(alice, changes, errors):
    """As in a bulk save; what cannot be an id is looked for nowhere."""
    alice.send("POST", alice.currency(), currency("1", oid="2"))
    response = alice.send("POST", alice.currency(), currency("1", oid="2") | changes)
    assert response.status_code == 400
    assert sorted((error["path"], error["code"]) for error in response.json()["errors"]) == errors


@pytest.mark.contract("C14", "C2", "B1")
@pytest.mark.parametrize("wrong", [{"decimalNumbers": 99}, {"id": "other"}, {"nature": "x"}, {"descriptions": None}])
def test_a_put_that_inserts_names_a_taken_oid_beside_other_errors(alice, wrong):
    """As a POST does; of the element that has the oid, only the others are errors."""
    alice.send("POST", alice.currency(), currency("1", oid="2"))
    for id, errors in (("3", {*wrong, "oid"}), ("1", {*wrong})):
        response = alice.send("PUT", alice.currency(f"elements/{id}"), currency(id, oid="2") | wrong)
        assert response.status_code == 400
        assert {error["path"] for error in response.json()["errors"]} == errors


@pytest.mark.contract("C14", "C13")
def test_a_put_inserts_and_then_replaces(alice):
    """201 with `Location` the first time, 200 without it afterwards, also when nothing changes."""
    path = alice.account("elements/1000")

    inserted = alice.send("PUT", path, account())
    replaced = alice.send("PUT", path, account(type="DETAIL"))
    repeated = alice.send("PUT", path, account(type="DETAIL"))

    assert [response.status_code for response in (inserted, replaced, repeated)] == [201, 200, 200]
    assert inserted.headers["Location"] == path
    assert "Location" not in replaced.headers
    assert read(replaced)["type"] == "DETAIL"


@pytest.mark.contract("C14")
def test_omitted_fields_are_reset(alice):
    """A full account that is replaced by a minimal one is minimal: defaults are restored, the rest is null."""
    alice.send("POST", alice.account(), FULL)

    element = read(alice.send("PUT", alice.account("elements/1000"), account()))

    del element["updateInfo"]
    assert element == MINIMAL


@pytest.mark.contract("C14", "C2")
def test_omitted_fields_of_a_currency_are_reset_but_its_oid(alice):
    """The oid cannot change, so it stays."""
    alice.send("POST", alice.currency(), FULL_CURRENCY)

    element = read(alice.send("PUT", alice.currency("elements/EUR"), currency(descriptions={"de": "Euro"})))

    assert element["oid"] == FULL_CURRENCY["oid"]
    assert element["descriptions"] == {"de": "Euro"}
    assert element["description"] is element["preferred"] is element["xbrlContent"] is None
    assert element["referenceCurrency"] == {"id": None, "coefficient": None}


@pytest.mark.contract("C14")
def test_the_id_may_be_left_to_the_path(alice):
    """For an insertion and for a replacement."""
    payload = account()
    del payload["id"]

    for status in (201, 200):
        response = alice.send("PUT", alice.account("elements/1000"), payload)
        assert response.status_code == status
        assert read(response)["id"] == "1000"


@pytest.mark.contract("C14")
def test_a_replacement_needs_the_required_fields(alice):
    """It is not a patch: missing fields are reported, and the element stays."""
    before = read(alice.send("POST", alice.account(), account()))

    response = alice.send("PUT", alice.account("elements/1000"), {"nature": "OTHER_STOCKS"})

    assert [error["path"] for error in response.json()["errors"]] == [
        "descriptions",
        "type",
        "conversion.conversionType",
    ]
    assert read(alice.get(alice.account("elements/1000"))) == before
