"""The JSON of a currency, and its oid."""

from typing import Any
from uuid import UUID

import pytest

from tests.currency.samples import FULL
from tests.factories import currency, read


@pytest.mark.contract("C4", "C8")
def test_a_minimal_currency_has_every_field(alice):
    """What is not set is null."""
    element = read(alice.send("POST", alice.currency(), currency(oid="7")))

    assert list(element.pop("updateInfo")) == ["user", "date", "origin"]
    assert element == {
        "id": "EUR",
        "oid": "7",
        "descriptions": {"en": "Euro", "de": "Euro"},
        "description": "Euro",
        "preferred": None,
        "decimalNumbers": 2,
        "referenceCurrency": {"id": None, "coefficient": None},
        "percentageDifference": "0.0000",
        "xbrlContent": None,
    }


@pytest.mark.contract("C5", "C8")
def test_a_full_currency_comes_back_as_it_was_sent(alice):
    """Every field of the specification's table, in a fixed order."""
    element = read(alice.send("POST", alice.currency(), FULL))

    assert list(element) == [*FULL, "updateInfo"]
    assert {name: element[name] for name in FULL} == FULL


@pytest.mark.contract("B1", "C8")
def test_required_fields_are_asked_for_by_name(alice):
    """An empty body names them all."""
    response = alice.send("POST", alice.currency(), {})

    assert {(error["path"], error["code"]) for error in response.json()["errors"]} == {
        (path, "REQUIRED") for path in ("id", "descriptions", "decimalNumbers", "percentageDifference")
    }


@pytest.mark.contract("C2")
def test_a_currency_without_an_oid_gets_a_new_uuid(alice):
    """Two currencies get two."""
    oids = {read(alice.send("POST", alice.currency(), currency(id)))["oid"] for id in ("EUR", "USD")}

    assert len({UUID(oid) for oid in oids}) == 2


@pytest.mark.contract("C2")
@pytest.mark.parametrize("oid", ["1", "x" * 64, " ключ "])
def test_a_currency_keeps_the_oid_of_the_client(alice, oid):
    """Any text of 1 to 64 characters, as it was sent."""
    assert read(alice.send("POST", alice.currency(), currency(oid=oid)))["oid"] == oid


@pytest.mark.contract("C2")
@pytest.mark.parametrize("oid", ["", "x" * 65, 7])
def test_an_invalid_oid_is_refused(alice, oid):
    """Empty, too long or not a text: 400 at `oid`."""
    response = alice.send("POST", alice.currency(), currency(oid=oid))

    assert response.status_code == 400
    assert [error["path"] for error in response.json()["errors"]] == ["oid"]


@pytest.mark.contract("C5")
def test_null_is_no_oid_and_no_description(alice):
    """Generated clients send every member, so null means absent, in whatever way an element is written."""
    absent: dict[str, Any] = {"oid": None, "description": None}
    created = read(alice.send("POST", alice.currency(), currency(**absent)))
    assert (len(created["oid"]), created["description"]) == (36, "Euro")

    path = alice.currency("elements/EUR")
    for method, body in (("PUT", currency(**absent)), ("PATCH", absent)):
        assert read(alice.send(method, path, body))["oid"] == created["oid"]
    for operation in ({"put": [currency(**absent)]}, {"merge": [{"id": "EUR", **absent}]}):
        assert alice.send("POST", alice.currency("elements-bulk"), operation).status_code == 200
        saved = read(alice.get(path))
        assert (saved["oid"], saved["descriptions"]) == (created["oid"], created["descriptions"])


@pytest.mark.contract("C2")
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_an_oid_belongs_to_one_currency_of_the_repository(alice, method):
    """Another currency cannot take it, by POST or by an inserting PUT."""
    alice.send("POST", alice.currency(), currency("EUR", oid="7"))
    path = alice.currency() if method == "POST" else alice.currency("elements/USD")

    response = alice.send(method, path, currency("USD", oid="7"))

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert (error["path"], error["code"]) == ("oid", "ALREADY_EXISTS")


@pytest.mark.contract("C2")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_oid_never_changes(alice, method):
    """A different one is refused; the same one, or none, leaves it as it is."""
    alice.send("POST", alice.currency(), currency(oid="7"))
    path = alice.currency("elements/EUR")

    refused = alice.send(method, path, currency(oid="8"))

    assert [(error["path"], error["code"]) for error in refused.json()["errors"]] == [("oid", "IMMUTABLE")]
    assert read(alice.send(method, path, currency(oid="7", preferred=True)))["oid"] == "7"
    assert read(alice.send(method, path, currency()))["oid"] == "7"
