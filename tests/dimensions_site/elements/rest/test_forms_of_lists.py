"""The formats of lists, and what has only one (contract H4)."""

import pytest

from tests.factories import content, currency
from tests.storing import store_currencies

pytestmark = pytest.mark.contract("H4")
CSV, NDJSON = "text/csv", "application/x-ndjson"


@pytest.mark.parametrize(
    ("accept", "content_type", "name"),
    [
        ("text/csv", "text/csv; charset=utf-8", "northwind-currency.csv"),
        ("text/csv; charset=utf-8; header=present", "text/csv; charset=utf-8", "northwind-currency.csv"),
        ("application/json;q=0.1, text/*;q=0.2", "text/csv; charset=utf-8", "northwind-currency.csv"),
        ("application/x-ndjson", "application/x-ndjson", "northwind-currency.ndjson"),
        ("text/csv;q=0.5, application/x-ndjson;q=0.9", "application/x-ndjson", "northwind-currency.ndjson"),
        ("text/csv, application/json", "application/json", None),
        ("text/html, */*;q=0.8", "application/json", None),
        ("*/*", "application/json", None),
    ],
)
@pytest.mark.parametrize("rest", ["elements", "elements-fetch?properties=id"])
def test_the_client_gets_the_format_that_it_prefers(alice, rest, accept, content_type, name):
    """By quality, and JSON if the client accepts all alike; caches learn from Vary that Accept counts."""
    for method in ("GET", "HEAD"):
        response = alice.generic(method, alice.currency(rest), headers={"Accept": accept})
        assert response.status_code == 200
        assert response["Content-Type"] == content_type
        assert response.get("Content-Disposition") == (name and f'attachment; filename="{name}"')
        assert response["Vary"] == "Accept, Accept-Encoding"
        content(response)


@pytest.mark.contract("B1")
@pytest.mark.parametrize("accept", [CSV, NDJSON])
def test_what_is_not_a_list_is_returned_in_json_only(alice, northwind, accept):
    """406 as a problem document: for one element, counts, deletions, and all writes."""
    store_currencies(northwind, currency())
    for method, rest in (
        ("GET", "elements/EUR"),
        ("GET", "elements-count"),
        ("GET", "elements-bulk-delete-async"),
        ("POST", "elements"),
        ("POST", "elements-bulk"),
        ("PUT", "elements/EUR"),
        ("OPTIONS", "elements"),
    ):
        response = alice.send(method, alice.currency(rest), currency(), Accept=accept)
        assert response.status_code == 406, rest
        assert response["Content-Type"] == "application/problem+json"
        assert response["Vary"] == "Accept, Accept-Encoding"


@pytest.mark.contract("B1")
@pytest.mark.parametrize("accept", [CSV, NDJSON])
@pytest.mark.parametrize(
    "rest",
    ["elements?filter=wrong", "elements?fliter=x", "elements?take=-1", "elements-fetch", "elements-fetch?properties=x"],
)
def test_errors_are_problems_whatever_form_was_asked_for(alice, rest, accept):
    """Before anything of the list is sent."""
    response = alice.get(alice.account(rest), headers={"Accept": accept})
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
