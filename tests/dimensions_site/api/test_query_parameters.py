"""Query parameters that a route does not know are refused: a mistyped one must not be overlooked."""

import pytest

from tests.bulkops.save.bulk import refused
from tests.factories import account, currency
from tests.routes import api_routes

pytestmark = pytest.mark.contract("A7")


@pytest.mark.parametrize("query", ["?wrong=1", "?filter=(((", "?skip=-1", "?a=1&a=2", "?%FF", "?%", "?a=%00"])
def test_reading_one_currency_ignores_its_query_and_one_account_refuses_it(alice, query):
    """The specification lists no 400 for reading one currency."""
    alice.send("POST", alice.currency(), currency())
    alice.send("POST", alice.account(), account())
    assert alice.get(alice.currency(f"elements/EUR{query}")).status_code == 200
    assert alice.get(alice.account(f"elements/1000{query}")).status_code == 400


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_no_route_overlooks_an_unknown_parameter(alice, method):
    """Whatever the URL table permits refuses `fliter`; reading one currency is the exception."""
    for route in api_routes():
        response = alice.send(method, route.path("northwind", id="EUR") + "?fliter=1", {})
        is_one_currency = route.name == "element" and route.namespace.startswith("currency")
        if method == "GET" and is_one_currency:
            assert response.status_code == 404
        elif response.status_code != 405:
            assert (response.status_code, response.json()["errors"][0]["path"]) == (400, "fliter"), route


@pytest.mark.contract("B1")
def test_every_failure_of_a_query_string_is_reported_at_once(alice):
    """Unknown parameters, each error of filter and sort, and those of paging and properties, in one response."""
    query = {
        "colour": "green",
        "filter": "x==1;id=like=A;decimalNumbers==a",
        "sort": "y,z",
        "skip": "-1",
        "take": "all",
        "properties": "w",
    }
    errors = refused(alice.get(alice.currency("elements-fetch"), query))["errors"]
    assert [(error["path"], error["code"]) for error in errors] == [
        ("colour", "UNKNOWN_PARAMETER"),
        ("properties", "UNKNOWN_FIELD"),
        ("filter", "UNKNOWN_FIELD"),
        ("filter", "INVALID_VALUE"),
        ("sort", "UNKNOWN_FIELD"),
        ("sort", "UNKNOWN_FIELD"),
        ("skip", "INVALID_VALUE"),
        ("take", "INVALID_VALUE"),
    ]
