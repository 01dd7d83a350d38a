"""Which refusal a request gets first when several things are wrong with it."""

import pytest
from django.core.cache import cache
from django.test import Client

from dimensions_site.environment import Rate
from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import ASYNC

pytestmark = pytest.mark.contract("A6")

BASE = "/api/aih/dimensions/v1/{}/account"
EVERYTHING_WRONG = "/elements/none?filter=%FF&wrong=1"


def answer(client: Client, method: str, path: str, body: str = "{") -> tuple[int, str]:
    response = client.generic(method, path, body, content_type="application/json")
    assert response["Content-Type"] == "application/problem+json"
    return response.status_code, response.json()["code"]


def test_first_comes_who_calls(alice):
    """401 for nobody and for a wrong key, though repository, method, query and body are wrong too."""
    for headers in ({}, {"X-API-Key": "wrong"}, {"Authorization": "Basic !"}):
        status, _ = answer(Client(headers=headers), "DELETE", BASE.format("nowhere") + EVERYTHING_WRONG)
        assert status == 401


def test_then_come_the_rate_of_calls_and_the_repository(bob, settings):
    """429 after authentication and before any lookup; unauthenticated clients never get it. 404 for an unknown
    repository, though bob has no grant there and the method is wrong.
    """
    cache.clear()
    settings.THROTTLE_CALLS = Rate(1, "day")
    path = BASE.format("nowhere") + EVERYTHING_WRONG
    assert answer(bob, "DELETE", path) == (404, "REPOSITORY_NOT_FOUND")
    assert answer(bob, "DELETE", path) == (429, "TOO_MANY_CALLS")
    assert answer(Client(), "DELETE", path) == (401, "NOT_AUTHENTICATED")


def test_then_comes_what_the_client_may(bob, rita, northwind):
    """403 without a grant, with too small a role, and where the API is off; method, query and body are wrong too."""
    path = BASE.format("northwind")
    assert answer(bob, "DELETE", path + EVERYTHING_WRONG) == (403, "NO_GRANT")
    assert answer(rita, "POST", path + "/elements?wrong=1") == (403, "ROLE_TOO_SMALL")
    assert answer(rita, "PATCH", path + EVERYTHING_WRONG) == (403, "ROLE_TOO_SMALL")
    Repository.objects.update(api_enabled=False)
    assert answer(bob, "DELETE", path + EVERYTHING_WRONG) == (403, "NO_GRANT")
    assert answer(rita, "DELETE", path + EVERYTHING_WRONG) == (403, "API_NOT_ENABLED")
    assert answer(rita, "POST", path + "/elements") == (403, "API_NOT_ENABLED")


@pytest.mark.parametrize("id", ["%0A", "%00"])
def test_an_impossible_id_reveals_nothing_to_strangers(alice, bob, id):
    """401 and 403 come first; then reading finds nothing, and writing is refused as for any other invalid id."""
    address = f"{BASE.format('northwind')}/elements/{id}"
    assert Client().get(address).status_code == 401
    assert bob.get(address).status_code == 403
    assert alice.delete(address).status_code == 405
    assert alice.get(address).json()["code"] == "ELEMENT_NOT_FOUND"
    refused = alice.send("PUT", address, {})
    assert refused.status_code == 400
    assert "id" in [error["path"] for error in refused.json()["errors"]]


def test_then_comes_the_method(alice):
    """405, though query, body and id are wrong too."""
    assert answer(alice, "DELETE", BASE.format("northwind") + EVERYTHING_WRONG) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ("?filter=%FF", "{", "UNREADABLE_QUERY"),
        ("?wrong=1", "{}", "UNKNOWN_PARAMETER"),
        ("?wrong=1", "{", "INVALID_REQUEST"),
        ("", "{", "INVALID_JSON"),
        ("", "", "EMPTY_BODY"),
        ("", "[]", "INVALID"),
        ("", '{"nothing": 1}', "UNKNOWN_MEMBER"),
        ("", '{"descriptions": {"en": 1}}', "INVALID"),
    ],
)
def test_then_comes_what_is_malformed(alice, query, body, code):
    """400 before the 404 for an unknown element: the client corrects the request first."""
    assert answer(alice, "PATCH", f"{BASE.format('northwind')}/elements/none{query}", body) == (400, code)


@pytest.mark.contract("A7")
def test_reading_an_account_checks_the_query_before_it_looks(alice):
    """400 for the unknown parameter of an unknown account; reading a currency never gets 400."""
    assert answer(alice, "GET", alice.account("elements/none?wrong=1")) == (400, "UNKNOWN_PARAMETER")
    assert answer(alice, "GET", alice.currency("elements/none?wrong=1")) == (404, "ELEMENT_NOT_FOUND")


@pytest.mark.parametrize(("method", "body"), [("GET", ""), ("PATCH", "{}"), ("PATCH", '{"descriptions": {"en": "A"}}')])
def test_last_comes_the_unknown_element(alice, method, body):
    """404 when nothing else is wrong; the message names what was searched for, and where."""
    response = alice.send(method, f"{BASE.format('northwind')}/elements/none", body)
    assert (response.status_code, response.json()["code"]) == (404, "ELEMENT_NOT_FOUND")
    assert "'none' in repository 'northwind'" in response.json()["detail"]


# --- Many elements -----------------------------------------------------------------------------

BULK, START, NONE = ("POST", "/elements-bulk"), ("POST", f"/{ASYNC}"), ("DELETE", f"/{ASYNC}/none")
many = pytest.mark.parametrize(("method", "rest"), [BULK, START, ("POST", f"/{ASYNC}h"), NONE])


@many
def test_for_many_elements_the_client_is_checked_then_the_repository_then_the_role(
    alice, bob, ed, rita, northwind, method, rest
):
    """401, 404, 403: though query and body are wrong too. A reader may not save, an editor may not delete."""
    wrong = f"{rest}?wrong=1"
    assert answer(Client(), method, BASE.format("nowhere") + wrong)[0] == 401
    assert answer(bob, method, BASE.format("nowhere") + wrong) == (404, "REPOSITORY_NOT_FOUND")
    path = BASE.format("northwind") + wrong
    assert answer(bob, method, path) == (403, "NO_GRANT")
    assert answer(rita, method, path) == (403, "ROLE_TOO_SMALL")
    if rest != BULK[1]:
        assert answer(ed, method, path) == (403, "ROLE_TOO_SMALL")
    right = '{"post": []}' if rest == BULK[1] else '[{"id": "1"}]'
    assert answer(alice, method, path, right) == (400, "UNKNOWN_PARAMETER")
    Repository.objects.update(api_enabled=False)
    assert answer(alice, method, path) == (403, "API_NOT_ENABLED")


@pytest.mark.parametrize(
    ("method", "rest", "body", "refusal"),
    [
        ("PUT", "/elements-bulk?wrong=1", "{", (405, "METHOD_NOT_ALLOWED")),
        (*BULK, "", (400, "EMPTY_BODY")),
        ("POST", "/elements-bulk?dryRun=1", '{"post": []}', (400, "INVALID")),
        (*BULK, "{", (400, "INVALID_JSON")),
        (*BULK, "[]", (400, "INVALID")),
        (*BULK, '{"patch": [{"key": {"id": "none"}, "data": []}]}', (400, "INVALID_REQUEST")),
        (*BULK, '{"patch": [{"key": {"id": "none"}, "data": {}}]}', (400, "ELEMENT_NOT_FOUND")),
        ("PATCH", f"/{ASYNC}?wrong=1", "{", (405, "METHOD_NOT_ALLOWED")),
        (*START, "{", (400, "INVALID_JSON")),
        (*START, "[]", (400, "REQUIRED")),
        ("POST", f"/{ASYNC}/none?wrong=1", "{", (405, "METHOD_NOT_ALLOWED")),
        ("GET", f"/{ASYNC}/none?wrong=1", "", (400, "UNKNOWN_PARAMETER")),
        ("GET", f"/{ASYNC}/none", "", (404, "PROCESSING_NOT_FOUND")),
        (*NONE, "", (404, "PROCESSING_NOT_FOUND")),
    ],
)
def test_of_many_elements_then_come_the_method_what_is_malformed_and_the_unknown(alice, method, rest, body, refusal):
    """405, 400, 404, in this order."""
    assert answer(alice, method, BASE.format("northwind") + rest, body) == refusal
