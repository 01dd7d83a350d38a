"""The two forms of a deletion's status, and the list of all deletions."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.bulkops.jobs.deletions import ASYNC, fill, path, start, work_now
from tests.factories import read

COUNTS = {"requested": 2, "processed": 2, "deleted": 1, "notFound": ["none"], "error": None}


@pytest.mark.contract("F4")
@pytest.mark.parametrize(("dimension", "end"), [("currency", r"\+0000"), ("account", "Z")])
def test_a_currency_returns_objects_and_an_account_arrays_of_one_object(alice, northwind, dimension, end):
    """The time of the one has an offset, that of the other ends with Z."""
    oid = start(alice, [*fill(northwind, 1), "none"], dimension)
    work_now()
    status, counts = read(alice.get(path(alice, oid, dimension))), COUNTS if dimension == "currency" else [COUNTS]
    (status,) = [status] if dimension == "currency" else status
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{{3}}{end}", status.pop("requestDateTime"))
    assert status == {"status": "COMPLETED", "parameters": counts}


@pytest.mark.contract("H2", "F7")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_the_list_shows_the_same_of_all_with_their_ids_the_newest_first(alice, bob, contoso, dimension):
    """It contains the deletions of this dimension of this repository."""
    oids = [start(alice, ["A"], dimension) for _ in range(3)]
    start(alice, ["A"], {"currency": "account", "account": "currency"}[dimension])
    start(bob, ["A"], dimension, "contoso")
    listed = read(alice.get(alice.elements(dimension, ASYNC)))
    assert [entry["dataProcessingId"] for entry in listed] == oids[::-1]
    for entry in listed:
        oid = entry.pop("dataProcessingId")
        status = read(alice.get(path(alice, oid, dimension)))
        assert entry == (status if dimension == "currency" else status[0])


@pytest.mark.contract("H2", "D6")
def test_the_list_is_paged_by_skip_and_take(alice):
    oids = [start(alice, ["A"]) for _ in range(4)][::-1]
    for query, expected in (
        ("?skip=1", oids[1:]),
        ("?take=2", oids[:2]),
        ("?skip=1&take=2", oids[1:3]),
        ("?skip=9", []),
        ("?take=0", []),
    ):
        assert [entry["dataProcessingId"] for entry in read(alice.get(alice.account(ASYNC) + query))] == expected


@pytest.mark.contract("A7", "D6", "H2")
@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("?filter=id==A", {"filter": "UNKNOWN_PARAMETER"}),
        ("?skip=-1&take=x", {"skip": "INVALID_VALUE", "take": "INVALID_VALUE"}),
        ("?skip=-1&sort=id", {"skip": "INVALID_VALUE", "sort": "UNKNOWN_PARAMETER"}),
        ("?take=1&take=2", {"take": "REPEATED_PARAMETER"}),
    ],
)
def test_other_parameters_and_values_of_the_list_are_refused(alice, query, codes):
    """Every error at once."""
    refused = alice.get(alice.account(ASYNC) + query)
    assert refused.status_code == 400
    assert {error["path"]: error["code"] for error in refused.json()["errors"]} == codes


@pytest.mark.parametrize("count", [1, 40])
def test_a_status_costs_two_queries(alice, count):
    """The client and its role, and the rows, however many there are."""
    oids = [start(alice, ["A"]) for _ in range(count)]
    for address in (alice.account(ASYNC), path(alice, oids[0])):
        with CaptureQueriesContext(connection) as queries:
            read(alice.get(address))
        assert len(queries) == 2
