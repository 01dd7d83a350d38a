"""The id of an element, and the oid of a currency."""

import pytest

from tests.factories import account, currency, read


@pytest.mark.contract("C1")
@pytest.mark.parametrize(
    "id",
    [
        "",
        " a",
        "a ",
        "\u00a0a",
        "a\u2003",
        ".",
        "..",
        "x" * 129,
        "a\nb",
        "a\tb",
        "a\x7fb",
        "a\u0085b",
        None,
        1000,
        True,
        ["a"],
    ],
)
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_an_invalid_id_is_refused(alice, dimension, id):
    """Empty, too long, edged with white space, with a control character, or not a text: 400 at `id`."""
    path, payload = (alice.account(), account()) if dimension == "account" else (alice.currency(), currency())

    response = alice.send("POST", path, payload | {"id": id})

    assert response.status_code == 400
    assert [error["path"] for error in response.json()["errors"]] == ["id"]


@pytest.mark.contract("C1")
def test_ids_differ_by_case(alice):
    """`eur` and `EUR` are two elements."""
    for id in ("EUR", "eur"):
        assert alice.send("POST", alice.currency(), currency(id)).status_code == 201

    assert [found["id"] for found in read(alice.get(alice.currency()))] == ["EUR", "eur"]


@pytest.mark.contract("C1", "C14", "C15")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("other", ["2000", None, 1000])
def test_an_id_never_changes(alice, method, other):
    """A body that names another id than the path is refused, and the message has both."""
    alice.send("POST", alice.account(), account("1000"))

    response = alice.send(method, alice.account("elements/1000"), account(other))

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert (error["path"], error["code"]) == ("id", "IMMUTABLE")
    assert '"1000"' in error["message"]


@pytest.mark.contract("C1", "C14")
def test_a_put_under_an_invalid_id_is_refused(alice):
    """The path's id is held to the same rule."""
    response = alice.send("PUT", alice.account("elements/%20a"), account(" a"))

    assert response.status_code == 400
    assert response.json()["errors"][0]["path"] == "id"
