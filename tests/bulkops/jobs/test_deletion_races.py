"""Workers and clients at the same moment, each with its own connection."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from account.models import Account, AccountVersion
from bulkops.jobs import deletion, processing
from bulkops.jobs.claims import claim_next
from bulkops.models import DataProcessing
from bulkops.worker.tasks import work
from dimensions_site.elements.writing.locking import let_others_write, writing_many
from tests.beside import beside
from tests.bulkops.jobs.deletions import fill, start, status_of
from tests.services.worker import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 4


@pytest.fixture
def running(alice, northwind, settings) -> str:
    """A deletion of twelve accounts, one by one."""
    settings.DELETION_CHUNK_SIZE = 1
    return start(alice, fill(northwind, 12))


@pytest.mark.contract("F2")
def test_of_many_workers_one_gets_the_deletion(running):
    """The others find nothing, and no error either."""
    barrier = threading.Barrier(THREADS)

    def claim():
        barrier.wait()
        return claim_next("worker")

    claims = [future.result() for future in [beside(claim) for _ in range(THREADS)]]
    assert len([claim for claim in claims if claim is not None]) == 1


@pytest.mark.contract("F2", "F5")
def test_two_runs_of_one_deletion_never_both_count(alice, running):
    """As after a duplicate queue entry, or a worker that was considered dead: each element is deleted once."""
    claim = claim_next("worker")
    assert claim is not None
    for future in [beside(lambda: deletion.run(claim)) for _ in range(2)]:
        future.result()
    assert status_of(alice, running)["processed"] == status_of(alice, running)["deleted"] == 12
    assert AccountVersion.objects.filter(change="-").count() == 12


@pytest.mark.contract("F3", "F5")
def test_an_abort_in_the_midst_is_final_when_it_is_answered(alice, running, monkeypatch):
    """Whatever the worker does at that moment: after the answer nothing more is deleted."""
    third_chunk, answered = threading.Event(), threading.Event()
    turns = iter(range(100))

    def signal() -> None:
        turn = next(turns)
        if turn == 2:
            third_chunk.set()
        elif turn == 10:  # before the last one, lest the deletion be over when the abort comes
            answered.wait(60)
        let_others_write()

    monkeypatch.setattr("bulkops.jobs.deletion.let_others_write", signal)
    worker = beside(work)
    assert third_chunk.wait(60)
    processing.abort(DataProcessing.objects.get())
    at_the_answer = status_of(alice, running)
    answered.set()
    worker.result()
    assert status_of(alice, running) == at_the_answer
    assert at_the_answer["status"] == "ABORTED"
    assert 3 <= at_the_answer["deleted"] < 12
    assert Account.objects.count() == 12 - at_the_answer["deleted"]


@pytest.mark.contract("F6")
def test_a_worker_that_waits_for_others_is_alive_and_no_attempt_is_lost(alice, running, northwind, settings):
    """Others write many elements for longer than a silent worker may take; then it continues."""
    settings.WORKER_LOST_AFTER_SECONDS = 15
    claim = claim_next("worker")
    assert claim is not None

    def seem_lost() -> None:
        claim.held.update(heartbeat=Now() - timedelta(hours=1))

    def shows_life() -> bool:
        return claim.held.filter(heartbeat__gt=Now() - timedelta(minutes=1)).exists()

    with writing_many(northwind):
        worker = beside(lambda: deletion.run(claim))
        if connection.vendor == "postgresql":  # on SQLite nothing else can write a heartbeat meanwhile
            beside(seem_lost).result()
            wait_until(shows_life, "The worker has no heartbeat")
            assert beside(lambda: claim_next("other")).result() is None
        else:
            threading.Event().wait(3)  # longer than the worker waits at a time
        assert not worker.done()
    worker.result()
    assert status_of(alice, running)["deleted"] == 12
    assert DataProcessing.objects.get().attempts == 1


if connection.vendor == "postgresql":  # SQLite cannot lock single elements

    @pytest.mark.contract("F6")
    def test_a_worker_waits_for_whoever_writes_one_of_its_elements(alice, northwind, running, settings):
        """Nothing of the chunk is done meanwhile."""
        settings.WORKER_LOST_AFTER_SECONDS = 2
        with transaction.atomic():
            Account.of(northwind).select_for_update().get(element_id="E003")
            worker = beside(work)
            threading.Event().wait(2)
            assert not worker.done()
        worker.result()
        assert status_of(alice, running)["deleted"] == 12


@pytest.mark.contract("F5")
def test_looking_for_work_that_is_not_there_costs_one_query():
    """And no transaction, for which others would wait on SQLite."""
    with CaptureQueriesContext(connection) as queries:
        work()
    assert len(queries) == 1
