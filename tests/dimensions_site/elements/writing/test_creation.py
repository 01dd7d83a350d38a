"""Creating elements."""

import pytest

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
