"""Creating elements."""

from urllib.parse import unquote

import pytest

from tests.factories import account, currency, read


@pytest.mark.contract("C13")
@pytest.mark.parametrize("id", ["1000", "a b/c;d%", "日本"])
def test_a_created_element_is_answered_with_its_location(alice, id):
    """201, and the `Location` leads to the element."""
    created = alice.send("POST", alice.account(), account(id))

    assert created.status_code == 201
    assert unquote(created.headers["Location"]) == alice.account(f"elements/{id}")
    assert read(alice.get(created.headers["Location"])) == read(created)


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
