"""The formats of lists, and what has only one (contract H4)."""

import csv
import io
import json

import pytest

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.reading.cells import untyped_cell
from dimensions_site.elements.reading.tables import MAX_COLUMNS
from tests.factories import account, content, currency, read
from tests.random_elements import RandomElements
from tests.storing import store_accounts, store_currencies

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


def table(response):
    """The headings and the rows of a response in CSV."""
    assert response.status_code == 200, response.content
    headings, *rows = csv.reader(io.StringIO(content(response).decode(), newline=""))
    return headings, rows


def got(person, path, accept, **query):
    return person.get(path, query, headers={"Accept": accept})


def expected_cell(wire, element, heading):
    """The cell for the value at the path in the JSON of an element."""
    entry = wire.find_entry(heading)
    if entry is not None:
        place, key = entry
        texts = element[place.path] or {}
        return untyped_cell(texts[key]) if key in texts else ""
    value = element
    for name in heading.split("."):
        value = value and value[name]
    has_default = wire.places[heading].leaf.default in ("NONE", False)
    return "" if value is None and not has_default else untyped_cell(value)


def test_a_list_of_currencies_is_a_table_with_a_column_for_each_leaf(alice, northwind):
    """UTF-8 without a byte-order mark, CRLF after each row; a map has a column for each existing key."""
    store_currencies(
        northwind,
        currency(oid="7", descriptions={"it": None, "en": "Euro", "de": ""}, percentageDifference="-0.50"),
        currency(
            "USD", oid="8", descriptions={"en": 'US "dollar", paper'}, preferred=True, referenceCurrency={"id": " EUR "}
        ),
    )
    [euro, dollar] = [element["updateInfo"]["date"] for element in read(alice.get(alice.currency()))]
    assert content(got(alice, alice.currency(), CSV)).decode() == (
        "id,oid,descriptions.en,descriptions.de,descriptions.it,preferred,decimalNumbers,"
        "referenceCurrency.id,referenceCurrency.coefficient,percentageDifference,xbrlContent,"
        "updateInfo.user,updateInfo.date,updateInfo.origin\r\n"
        f"EUR,7,Euro,[[empty]],[[null]],,2,,,-0.50,,system,{euro},IMPORT\r\n"
        f'USD,8,"US ""dollar"", paper",,,true,2, EUR ,,0.0000,,system,{dollar},IMPORT\r\n'
    )


@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_each_line_of_ndjson_is_an_element_of_the_list(alice, northwind, dimension):
    """The same texts as in the array, one on each line."""
    store_currencies(northwind, currency(descriptions={"en": "line\nbreak\u2028"}), currency("USD"))
    store_accounts(northwind, account(descriptions={"en": "line\nbreak\u2028"}), account("2000"))
    path = alice.elements(dimension)
    lines = content(got(alice, path, NDJSON)).split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line) for line in lines] == read(alice.get(path))


@pytest.mark.parametrize(
    ("properties", "headings", "cells"),
    [
        ("id", ["id"], ["1000"]),
        ("type,id,type", ["type", "id"], ["NORMAL", "1000"]),
        (
            "conversion.referenceAccountForInitialBalance,id,conversion",
            ["conversion.referenceAccountForInitialBalance", "id", "conversion.conversionType"],
            ["", "1000", "FINAL"],
        ),
        ("description,descriptions", ["description", "descriptions"], ["Cash", "Cash"]),
        ("descriptions.*", ["descriptions.en", "descriptions.de"], ["Cash", "Kasse"]),
        ("descriptions.fr,descriptions.de", ["descriptions.fr", "descriptions.de"], ["", "Kasse"]),
        ("customAttributes", ["customAttributes. x.y", "customAttributes.=1"], ["[[empty]]", "[[text]]=1+1"]),
        ("customAttributes. x.y", ["customAttributes. x.y"], ["[[empty]]"]),
        ("alternativeDescriptions,id", ["id"], ["1000"]),
        (
            "cashFlowPlanning.liquidity.debit,rules.accrual.debit.id",
            [
                "cashFlowPlanning.liquidity.debit.id",
                "cashFlowPlanning.liquidity.debit.description",
                "rules.accrual.debitAccrual.id",
            ],
            ["7", "", ""],
        ),
    ],
)
@pytest.mark.contract("D8")
def test_a_fetch_has_the_selected_properties_as_columns_in_their_order(alice, northwind, properties, headings, cells):
    """Groups and maps include their members, and nothing occurs twice."""
    store_accounts(
        northwind,
        account(customAttributes={"=1": "=1+1", " x.y": ""}, cashFlowPlanning={"liquidity": {"debit": {"id": "7"}}}),
    )
    assert table(got(alice, alice.account("elements-fetch"), CSV, properties=properties)) == (headings, [cells])


def test_a_fetch_in_ndjson_is_that_in_json_line_by_line(alice, northwind):
    """Nested, as the array has it."""
    store_accounts(northwind, account())
    path = alice.account("elements-fetch?properties=conversion.conversionType,id")
    assert content(got(alice, path, NDJSON)) == b'{"conversion":{"conversionType":"FINAL"},"id":"1000"}\n'


def test_without_elements_a_table_has_its_headings_and_ndjson_nothing(alice):
    """As a form to be filled in: the descriptions have a column for the default language."""
    for query in ({}, {"take": "0"}, {"filter": "id==x"}):
        headings, rows = table(got(alice, alice.account(), CSV, **query))
        assert headings[:3] == ["id", "descriptions.en", "nature"]
        assert rows == []
        assert content(got(alice, alice.account(), NDJSON, **query)) == b""


@pytest.mark.contract("D7")
@pytest.mark.parametrize("rows", [1, 200])
def test_a_table_costs_one_query_more_than_a_list_when_it_has_maps(rita, northwind, django_assert_num_queries, rows):
    """For the existing keys; for one row as for two hundred."""
    store_accounts(
        northwind, *(account(f"{number:04}", customAttributes={f"a{number}": "x"}) for number in range(rows))
    )
    for queries, rest, accept in (
        (4, "elements", CSV),
        (4, "elements?filter=descriptions=ilike=c&sort=-descriptions.en&take=150", CSV),
        (3, "elements-fetch?properties=id,conversion,descriptions.de", CSV),
        (3, "elements", NDJSON),
    ):
        with django_assert_num_queries(queries):
            content(got(rita, rita.account(rest), accept))


@pytest.mark.contract("C8", "C19")
@pytest.mark.parametrize(("dimension", "wire"), [("currency", CURRENCY_WIRE), ("account", ACCOUNT_WIRE)])
def test_a_table_shows_of_each_element_what_the_list_shows(alice, dimension, wire):
    """Many random elements: each cell is the value at its path, in the words for cells."""
    path = alice.elements(dimension)
    assert read(alice.send("POST", f"{path}-bulk", {"post": RandomElements(wire, seed=7).many(60)}))
    headings, rows = table(got(alice, path, CSV))
    assert len(rows) == 60
    for element, row in zip(read(alice.get(path)), rows, strict=True):
        for heading, cell in zip(headings, row, strict=True):
            assert cell == expected_cell(wire, element, heading), heading


@pytest.mark.contract("B3", "H4")
@pytest.mark.parametrize("rest", ["elements", "elements-fetch?properties=id,customAttributes"])
def test_a_table_has_as_many_columns_as_imports_read(alice, northwind, rest):
    """Each key of a map is a column: the work for a table would grow as the square of its elements."""
    attributes = [{f"a{at}": "x" for at in range(first, first + 128)} for first in range(0, MAX_COLUMNS, 128)]
    store_accounts(northwind, *(account(f"{at:04}", customAttributes=own) for at, own in enumerate(attributes)))
    refused = got(alice, alice.account(rest), CSV)
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")
    [error] = refused.json()["errors"]
    assert error["code"] == "TOO_MANY_COLUMNS"
    assert "16,384" in error["message"]
    assert len(content(got(alice, alice.account(rest), NDJSON)).splitlines()) == 128

    if "properties" in rest:
        headings, rows = table(got(alice, alice.account("elements-fetch?properties=customAttributes"), CSV))
        assert (len(headings), len(rows)) == (MAX_COLUMNS, 128)
