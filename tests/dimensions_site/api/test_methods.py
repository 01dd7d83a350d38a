"""Which methods each route supports."""

import pytest

from tests.bulkops.jobs.deletions import ASYNC, start
from tests.dimensions import DIMENSIONS
from tests.factories import account, currency
from tests.routes import METHODS, api_routes

PERMITTED = {
    "elements": {"GET", "HEAD", "POST", "OPTIONS"},
    "element": {"GET", "HEAD", "PUT", "PATCH", "OPTIONS"},
    "elements-count": {"GET", "HEAD", "OPTIONS"},
    "elements-fetch": {"GET", "HEAD", "OPTIONS"},
    "elements-uses": {"GET", "HEAD", "OPTIONS"},
    "elements-changes": {"GET", "HEAD", "OPTIONS"},
    "elements-changesets": {"GET", "HEAD", "OPTIONS"},
    "elements-versions": {"GET", "HEAD", "OPTIONS"},
    "elements-compare": {"GET", "HEAD", "OPTIONS"},
    "elements-bulk": {"POST", "OPTIONS"},
    "elements-bulk-minimal": {"POST", "OPTIONS"},
    "plans": {"GET", "HEAD", "POST", "OPTIONS"},
    "plan": {"GET", "HEAD", "DELETE", "OPTIONS"},
    "plan-changes": {"GET", "HEAD", "OPTIONS"},
    "plan-apply": {"POST", "OPTIONS"},
    "plan-approve": {"POST", "OPTIONS"},
    "plan-reject": {"POST", "OPTIONS"},
    "deletions": {"GET", "HEAD", "POST", "OPTIONS"},
    "deletions-other-spelling": {"GET", "HEAD", "POST", "OPTIONS"},
    "deletion": {"GET", "HEAD", "DELETE", "OPTIONS"},
    "deletion-other-spelling": {"GET", "HEAD", "DELETE", "OPTIONS"},
}


@pytest.mark.contract("A1", "A4")
def test_each_dimension_has_the_same_routes_under_both_prefixes():
    """The table above, once for each of both; only the bulk answer of accounts has elements to leave out."""
    common = [name for name in PERMITTED if name != "elements-bulk-minimal"] * len(DIMENSIONS)
    assert sorted(route.name for route in api_routes()) == sorted([*common, "elements-bulk-minimal"] * 2)


@pytest.mark.contract("A4")
def test_a_method_that_is_not_listed_is_refused_with_those_that_are(alice):
    """405 with Allow, whether or not the element exists; OPTIONS lists the methods, and ignores the query."""
    for route in api_routes():
        path = route.path("northwind", id="EUR")
        for method in set(METHODS) - PERMITTED[route.name]:
            response = alice.send(method, path, {"id": "EUR"})
            assert response.status_code == 405, (str(route), method)
            assert set(response["Allow"].split(", ")) == PERMITTED[route.name], (str(route), method)
            if method != "HEAD":
                assert response.json()["code"] == "METHOD_NOT_ALLOWED", (str(route), method)
                assert method in response.json()["detail"]
        response = alice.send("OPTIONS", f"{path}?whatever=1")
        assert response.status_code == 200, str(route)
        assert set(response["Allow"].split(", ")) == set(response.json()["allow"]) == PERMITTED[route.name], str(route)


@pytest.mark.contract("A4", "C16")
@pytest.mark.django_db(transaction=True)
def test_head_answers_as_get_does_without_the_body(alice):
    """Status and headers are those of GET, for success and for refusal."""
    alice.send("POST", alice.currency(), currency())
    alice.send("POST", alice.account(), account())
    for path in (
        alice.currency(),
        alice.currency("elements/EUR"),
        alice.currency("elements/NONE"),
        alice.currency("elements-count"),
        alice.currency("elements-fetch?properties=id"),
        alice.currency("elements-fetch"),
        alice.account("elements?filter=wrong"),
        alice.account("elements/1000"),
        alice.account("elements-uses?id=1000&id=2000"),
        alice.currency("elements-uses"),
        alice.currency("elements-changes"),
        alice.currency("elements-changesets?take=1"),
        alice.currency("elements-versions?id=EUR"),
        alice.currency("elements-versions"),
        alice.currency("elements-compare?from=2999-01-01"),
        alice.currency(ASYNC),
        alice.account(f"{ASYNC}?skip=-1"),
        alice.account(f"{ASYNC}/{start(alice, ['1000'])}"),
        alice.account(f"{ASYNC}/none"),
    ):
        got, head = alice.get(path), alice.head(path)
        b"".join(got)
        assert head.status_code == got.status_code
        assert head["Content-Type"] == got["Content-Type"]
        assert head.get("ETag") == got.get("ETag")
        assert b"".join(head) == b""


@pytest.mark.contract("A4", "B3")
@pytest.mark.parametrize("route", ["elements", "elements-fetch", "elements-changes", "elements-compare"])
def test_options_answers_in_json_alone(alice, route):
    """The other forms are those of lists."""
    statuses = [
        alice.options(alice.account(route), headers={"Accept": accept}).status_code
        for accept in ("application/json", "application/x-ndjson")
    ]
    assert statuses == [200, 406]
