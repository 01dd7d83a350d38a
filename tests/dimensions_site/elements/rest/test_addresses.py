"""The addresses of elements, whatever their ids look like."""

from urllib.parse import quote

import pytest

from tests.bulkops.jobs.deletions import ASYNC, start
from tests.factories import account, currency, read

PREFIXES = ("/api/aih/dimensions/v1", "/dimensions/v1")
ODD_IDS = (
    "a/b",
    "a/../b",
    "/leading",
    "trailing/",
    "//",
    "a b",
    "100%",
    "%41",
    "a+b",
    "a;b",
    "a?b",
    "a#b",
    "a&b=c",
    "a:b@c",
    "...",
    "'\"\\",
    "Währung",
    "e\u0301",
    "ключ",
    "日本円",
    "a\u00a0b",
    "😀" * 128,
    "x" * 128,
)


@pytest.mark.contract("A1")
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(("dimension", "body"), [("currency", currency()), ("account", account())], ids=["c", "a"])
def test_both_prefixes_lead_to_both_dimensions(alice, prefix, dimension, body):
    """Every kind of route works under either prefix, and Location keeps the prefix of the request."""
    base = f"{prefix}/northwind/{dimension}"
    created = alice.send("POST", f"{base}/elements", body)
    assert created.status_code == 201
    assert created["Location"] == f"{base}/elements/{body['id']}"
    for other in PREFIXES:
        there = f"{other}/northwind/{dimension}"
        assert alice.get(f"{there}/elements/{body['id']}").json() == created.json()
        assert read(alice.get(f"{there}/elements")) == [created.json()]
        assert alice.get(f"{there}/elements-count").json() == 1
        assert read(alice.get(f"{there}/elements-fetch", {"properties": "id"})) == [{"id": body["id"]}]
    assert alice.send("PATCH", f"{base}/elements/{body['id']}", {}).status_code == 200
    saved = {"currency": {"code": "SUCCESS"}, "account": [created.json()]}[dimension]
    assert read(alice.send("POST", f"{base}/elements-bulk", {"put": [body]})) == saved
    started = alice.send("POST", f"{base}/{ASYNC}", [{"id": body["id"]}])
    oid = started.json()["dataProcessingId"]
    assert started["Location"] == f"{base}/{ASYNC}/{oid}"
    for other in PREFIXES:
        there = f"{other}/northwind/{dimension}/{ASYNC}"
        assert [entry["dataProcessingId"] for entry in read(alice.get(there))] == [oid]
        assert alice.get(f"{there}/{oid}").json() == alice.get(started["Location"]).json()
    assert alice.delete(started["Location"]).status_code == {"currency": 202, "account": 200}[dimension]


@pytest.mark.contract("A3", "C13", "C14")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_an_element_with_any_id_can_be_created_found_replaced_and_changed(alice, dimension):
    """The id is percent-encoded in the path; Location is the address of the element."""
    path, make = (alice.currency, currency) if dimension == "currency" else (alice.account, account)
    for id in ODD_IDS:
        created = alice.send("POST", path(), make(id))
        assert created.status_code == 201, created.content
        address = path(f"elements/{quote(id, safe='')}")
        assert created["Location"] == address
        assert alice.get(created["Location"]).json()["id"] == id
        assert alice.send("PUT", address, make(id, descriptions={"en": "New"})).json()["id"] == id
        changed = alice.send("PATCH", address, {"descriptions": {"fr": "Nouveau"}}).json()
        assert (changed["id"], changed["descriptions"]) == (id, {"en": "New", "fr": "Nouveau"})
    assert {element["id"] for element in read(alice.get(path()))} == set(ODD_IDS)


@pytest.mark.contract("A5")
@pytest.mark.parametrize(
    "rest", ["elements", "elements/EUR", "elements-count", "elements-fetch", "elements-bulk", ASYNC, f"{ASYNC}h", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_a_trailing_slash_is_another_address_and_unknown(alice, rest, method):
    """404 in the form of every error, and no redirect."""
    alice.send("POST", alice.currency(), currency())
    response = alice.send(method, alice.currency(f"{rest}/"), {})
    assert response.status_code == (405 if (rest, method) == ("elements/EUR", "POST") else 404)
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.contract("A3", "A5")
def test_a_slash_after_an_id_creates_nothing_unless_it_is_encoded(alice):
    """The server keeps the address as it was sent; there `EUR/` is an error and `EUR%2F` is an id."""
    body = {key: value for key, value in currency().items() if key != "id"}
    slip = alice.currency("elements/EUR/")
    response = alice.generic("PUT", slip, b"{}", content_type="application/json", RAW_URI=f"{slip}?x=1")
    assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
    assert "%2F" in response.json()["detail"]
    meant = alice.currency("elements/EUR%2F")
    assert alice.generic("GET", meant, RAW_URI=meant).json()["code"] == "ELEMENT_NOT_FOUND"
    assert alice.send("PUT", meant, body).json()["id"] == "EUR/"


@pytest.mark.contract("A5", "F7")
def test_a_slash_after_the_id_of_a_deletion_leads_nowhere(alice):
    """Neither a guess, nor a redirect."""
    oid = start(alice, ["EUR"], "currency")
    path = alice.currency(f"{ASYNC}/{oid}/")
    for method in ("GET", "DELETE"):
        assert alice.generic(method, path).json()["code"] == "PROCESSING_NOT_FOUND"
        assert alice.generic(method, path, RAW_URI=path).json()["code"] == "NOT_FOUND"
    assert alice.get(path.removesuffix("/")).json()["status"] == "RUNNING"
