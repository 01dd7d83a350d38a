"""Requesting a deletion: what is stored, where its status is, and who may."""

import pytest
from django_q.models import OrmQ
from django_q.tasks import async_task

from bulkops.models import DataProcessing, DeletionChunk
from tests.bulkops.jobs.deletions import ASYNC, body, start
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
