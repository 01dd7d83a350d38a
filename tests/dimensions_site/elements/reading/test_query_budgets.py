"""How many queries a call costs, access included: the number must not grow with the rows."""

import base64

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.costs import statements
from tests.dimensions_site.tokens.clients import access_token, service, tokens_of, with_token
from tests.factories import account, content, currency
from tests.services.citus import IS_CITUS
from tests.storing import store_accounts, store_currencies

WAYS = ("api key", "basic", "jwt", "oauth2")
LISTS = (
    "elements",
    "elements?filter=descriptions=ilike=e;id!=x&sort=-description,id&skip=0&take=500",
    "elements-fetch?properties=id,descriptions,updateInfo",
)
COUNTS = ("elements-count", "elements-count?filter=id!=x")


@pytest.fixture(autouse=True)
def known_database(db):
    """Each process queries SQLite's abilities once."""
    assert connection.features.supports_json_field


@pytest.fixture(params=WAYS)
def way(request):
    """How a client authenticates."""
    return request.param


@pytest.fixture
def reading(way) -> int:
    """The client, the repository with its best role, the rows; with a key the first two are one."""
    return 2 if way == "api key" else 3


@pytest.fixture
def reader(way, rita):
    """Rita, by her key, by a token of either kind, or by her password verified a moment ago."""
    if way == "api key":
        return rita
    if way == "jwt":
        return with_token(tokens_of("rita")["access"])
    if way == "oauth2":
        return with_token(access_token(service(rita.user)))
    credentials = base64.b64encode(b"rita:rita-password").decode()
    client = Client(headers={"Authorization": f"Basic {credentials}"})
    assert client.get(rita.currency("elements-count")).status_code == 200
    return client


def fill(northwind, count):
    store_currencies(northwind, *(currency(f"C{number:03}") for number in range(count)))
    store_accounts(northwind, *(account(f"A{number:03}", customAttributes={"a": "b"}) for number in range(count)))


@pytest.mark.contract("D7", "G1", "I3")
@pytest.mark.parametrize("rows", [1, 200])
def test_a_list_and_a_fetch_cost_four_queries_at_most_and_a_count_three(
    reader, reading, rita, northwind, django_assert_num_queries, rows
):
    """One for the client, one for its role, one for the rows, for one row as for two hundred.

    A list and a fetch read the state for `Sync-Token` before.
    """
    fill(northwind, rows)
    for routes, queries in ((LISTS, reading + 1), (COUNTS, reading)):
        for rest in routes:
            for path in (rita.currency(rest), rita.account(rest)):
                with django_assert_num_queries(queries):
                    assert content(reader.get(path)) != b"[]"


@pytest.mark.contract("G1")
@pytest.mark.parametrize("rows", [1, 200])
def test_reading_one_element_costs_three_queries_at_most(
    reader, reading, rita, northwind, django_assert_num_queries, rows
):
    """Found or not found."""
    fill(northwind, rows)
    for path in (rita.currency("elements/C000"), rita.account("elements/A000"), rita.account("elements/none")):
        with django_assert_num_queries(reading):
            reader.get(path)


@pytest.mark.contract("D7")
def test_an_exact_count_beside_a_list_costs_one_query_more(reader, reading, rita, northwind, django_assert_num_queries):
    """Only where the client prefers it."""
    fill(northwind, 2)
    for preference, queries in ({}, reading + 1), ({"Prefer": "count=exact"}, reading + 2):
        with django_assert_num_queries(queries):
            content(reader.get(rita.currency("elements?take=1"), headers=preference))


@pytest.mark.contract("A6")
def test_a_refusal_costs_no_more_than_it_needs(bob, rita, northwind, django_assert_num_queries):
    """An anonymous client costs nothing; a stranger with a key one query; a malformed request reads no rows."""
    with django_assert_num_queries(0):
        Client().get(rita.currency())
    with django_assert_num_queries(1):
        bob.get(rita.currency())
    with django_assert_num_queries(1):
        rita.get(rita.currency("elements?filter=("))


# Access 1, the new row with the answer 1, its history 1, its change set 1, the slot locked 1 and advanced 1. PostgreSQL
# writes the row with its history, and the change set with its place, in one statement each; Citus draws the number of
# the version and reads the time of the coordinator. A replacement and a change read and lock the old row before.
CREATING = {"sqlite": 6, "postgresql": 8 if IS_CITUS else 3}[connection.vendor]
CHANGING, UNCHANGED = CREATING + 1, 2
# An account's generated logic is updated where necessary: removed, and added.
LOGIC = 2


@pytest.mark.contract("C13", "C14", "C15", "C17", "C18")
@pytest.mark.django_db(transaction=True)
def test_writing_one_element_has_its_price_too(alice):
    """Statements that open and close the transaction do not count; a write that changes nothing writes nothing."""
    changed = {"descriptions": {"en": "New"}}
    logic = {"rules": {"grossAmountEqualICSum": True}}
    one_currency, one_account = alice.currency("elements/EUR"), alice.account("elements/1000")
    assert [
        cost(alice, "POST", alice.currency(), currency()),
        cost(alice, "PUT", one_currency, currency(decimalNumbers=3)),
        cost(alice, "PUT", one_currency, currency(decimalNumbers=3)),
        cost(alice, "PUT", alice.currency("elements/USD"), currency("USD")),
        cost(alice, "PATCH", one_currency, changed),
    ] == [CREATING, CHANGING, UNCHANGED, CHANGING, CHANGING]
    assert [
        cost(alice, "POST", alice.account(), account()),
        cost(alice, "PUT", one_account, account(type="DETAIL")),
        cost(alice, "PATCH", one_account, changed),
        cost(alice, "PATCH", one_account, logic),
    ] == [CREATING, CHANGING, CHANGING, CHANGING + LOGIC]


def cost(person, method, path, body):
    with CaptureQueriesContext(connection) as queries:
        assert person.send(method, path, body).status_code in (200, 201)
    return len(statements(queries))
