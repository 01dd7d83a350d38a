"""Query parameters that a route does not know are refused: a mistyped one must not be overlooked."""

import pytest

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
