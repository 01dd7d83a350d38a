"""Requesting a deletion, the two forms of its status, and the list of all deletions."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ
from django_q.tasks import async_task

from bulkops.models import DataProcessing, DeletionChunk
from tests.bulkops.jobs.deletions import ASYNC, body, fill, path, start, work_now
from tests.factories import read


@pytest.mark.contract("F2")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_the_answer_shows_the_id_and_the_place_of_the_status(alice, dimension):
    """202; `Location` leads to it; nothing is deleted by the request itself."""
    answer = alice.send("POST", alice.elements(dimension, ASYNC), body(["A"]))
    assert answer.status_code == 202
    oid = answer.json()["dataProcessingId"]
    assert answer.json() == {"dataProcessingId": oid}
    assert answer["Location"] == alice.elements(dimension, f"{ASYNC}/{oid}")
    assert alice.get(answer["Location"]).status_code == 200


@pytest.mark.contract("A1", "A2")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_the_start_answers_to_both_spellings_and_under_both_prefixes(alice, dimension):
    """So do the list, the status and the abort; `Location` has the one spelling, under the prefix that was called."""
    for prefix in ("/api/aih/dimensions/v1", "/dimensions/v1"):
        for spelling in ("elements-bulk-delete-async", "elements-bulk-delete-asynch"):
            answer = alice.send("POST", f"{prefix}/northwind/{dimension}/{spelling}", body(["A"]))
            assert answer.status_code == 202
            assert answer["Location"].startswith(f"{prefix}/northwind/{dimension}/{ASYNC}/")
            assert alice.get(answer["Location"]).status_code == 200
            for asked in ("elements-bulk-delete-async", "elements-bulk-delete-asynch"):
                place = f"{prefix}/northwind/{dimension}/{asked}"
                oid = answer.json()["dataProcessingId"]
                assert alice.get(f"{place}/{oid}").content == alice.get(answer["Location"]).content
                assert read(alice.get(f"{place}?take=1")) == read(
                    alice.get(f"{prefix}/northwind/{dimension}/{ASYNC}?take=1")
                )
                assert alice.delete(f"{place}/{oid}").status_code in (200, 202)


@pytest.mark.contract("F1")
def test_repeated_ids_count_once(alice):
    start(alice, ["A", "B", "A"])
    assert DataProcessing.objects.get().requested == 2
    assert DeletionChunk.objects.get().ids == ["A", "B"]


@pytest.mark.contract("F2")
def test_the_processing_and_its_place_in_the_queue_are_stored_together(alice, django_capture_on_commit_callbacks):
    """One task that wakes a worker is committed with the processing, and nothing follows the commit."""
    with django_capture_on_commit_callbacks() as following:
        start(alice, ["A"])
    assert (DataProcessing.objects.count(), OrmQ.objects.count(), len(following)) == (1, 1, 0)


@pytest.mark.contract("F2")
@pytest.mark.django_db(transaction=True)
def test_without_a_place_in_the_queue_there_is_no_processing(alice, monkeypatch):
    """A failure at the end undoes what was stored first."""

    def enqueue_and_fail(*arguments, **options):
        async_task(*arguments, **options)
        raise RuntimeError

    monkeypatch.setattr("bulkops.jobs.brokers.async_task", enqueue_and_fail)
    alice.raise_request_exception = False
    assert alice.send("POST", alice.account(ASYNC), body(["A"])).status_code == 500
    assert not DataProcessing.objects.exists()
    assert not DeletionChunk.objects.exists()
    assert not OrmQ.objects.exists()


@pytest.mark.contract("F5")
def test_the_ids_are_kept_in_chunks_in_their_order(alice, settings):
    settings.DELETION_CHUNK_SIZE = 2
    start(alice, ["C", "A", "E", "B", "D"])
    chunks = DeletionChunk.objects.order_by("position").values_list("ids", flat=True)
    assert list(chunks) == [["C", "A"], ["E", "B"], ["D"]]


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
