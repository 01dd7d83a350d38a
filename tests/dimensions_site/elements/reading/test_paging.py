"""`skip` and `take`, and how many elements there are."""

import pytest

from tests.factories import currency, read
from tests.storing import store_currencies

IDS = [f"C{number:02}" for number in range(23)]


@pytest.fixture
def many(alice, northwind):
    store_currencies(
        northwind,
        *(
            currency(id, decimalNumbers=number % 3, preferred=[True, False, None][number % 3])
            for number, id in enumerate(IDS)
        ),
    )
    return alice


def ids(response):
    return [element["id"] for element in read(response)]


@pytest.mark.contract("D5", "D6")
@pytest.mark.parametrize("sort", [None, "decimalNumbers", "-preferred", "updateInfo.date", "xbrlContent:desc", "-id"])
@pytest.mark.parametrize("size", [5, 23])
def test_pages_put_together_are_the_list(many, sort, size):
    """Nothing twice, nothing missing, though most sort keys are equal."""
    query = {} if sort is None else {"sort": sort}
    whole = ids(many.get(many.currency(), query))
    assert sorted(whole) == IDS
    pages = [ids(many.get(many.currency(), {**query, "skip": skip, "take": size})) for skip in range(0, 24, size)]
    assert [id for page in pages for id in page] == whole


@pytest.mark.contract("D7")
@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 23),
        ({"filter": "decimalNumbers==0"}, 8),
        ({"filter": "id==none"}, 0),
        ({"filter": "decimalNumbers==0", "sort": "-preferred", "skip": "5", "take": "1"}, 8),
        ({"take": "0"}, 23),
    ],
)
def test_the_count_is_a_bare_integer_of_all_that_the_filter_selects(many, query, count):
    """Sort order and paging are checked and then have no effect."""
    response = many.get(many.currency("elements-count"), query)
    assert (response.status_code, response.content) == (200, str(count).encode())
    assert response["Content-Type"] == "application/json"


@pytest.mark.contract("D7")
@pytest.mark.parametrize("prefer", ["count=exact", "Count=Exact", 'count="exact"', "respond-async, count = exact; x=1"])
def test_whoever_prefers_an_exact_count_gets_it_beside_the_page(many, prefer):
    """The number of all elements that the filter selects, not of the page; the response confirms the preference."""
    query = {"filter": "decimalNumbers==0", "take": "2"}
    for path in (many.currency(), many.currency("elements-fetch")):
        asked = {**query, "properties": "id"} if path.endswith("fetch") else query
        response = many.get(path, asked, headers={"Prefer": prefer})
        assert len(read(response)) == 2
        assert (response["X-Total-Count"], response["Preference-Applied"]) == ("8", "count=exact")


@pytest.mark.contract("D7")
@pytest.mark.parametrize("prefer", [None, "", "count=none", "count", "exact", "xcount=exact", "count=exactly"])
def test_nobody_else_pays_for_counting(many, prefer):
    """Without the preference there is no such header."""
    response = many.get(many.currency(), {"take": "1"}, headers={"Prefer": prefer} if prefer is not None else {})
    assert len(read(response)) == 1
    assert "X-Total-Count" not in response
    assert "Preference-Applied" not in response
