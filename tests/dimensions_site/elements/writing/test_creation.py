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
