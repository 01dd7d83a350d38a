"""The states of a deletion: which follows which, and which does not."""

import pytest
from django.db.models.functions import Now

from account.models import Account
from bulkops.jobs import processing
from bulkops.jobs.claims import claim_next
from bulkops.jobs.deletion import run
from bulkops.models import DataProcessing, DeletionChunk, Status
from tests.bulkops.jobs.deletions import fill, path, start, status_of, work_now

ENDED = [Status.COMPLETED, Status.FAILED, Status.ABORTED]


def end(oid: str, status: Status) -> None:
    DataProcessing.objects.filter(oid=oid).update(status=status, finished_at=Now())


@pytest.mark.contract("F3", "F5")
@pytest.mark.parametrize(("dimension", "status"), [("currency", 202), ("account", 200)])
def test_what_waits_is_aborted_at_once(alice, northwind, dimension, status):
    """The message names the oid; nothing was deleted and nothing will be."""
    ids = fill(northwind, 2)
    oid = start(alice, ids, dimension)
    answer = alice.send("DELETE", path(alice, oid, dimension))
    assert answer.status_code == status
    assert list(answer.json()) == ["message"]
    assert oid in answer.json()["message"]
    work_now()
    assert status_of(alice, oid, dimension) == {
        "status": "ABORTED", "requested": 2, "processed": 0, "deleted": 0, "notFound": [], "error": None
    }  # fmt: skip
    assert alice.get(alice.account("elements-count")).json() == 2
    assert not DeletionChunk.objects.exists()


@pytest.mark.contract("F5")
def test_an_abort_takes_effect_before_the_next_chunk(alice, running, monkeypatch):
    """What is deleted stays deleted, and the counts show how much."""
    claim = claim_next("worker")
    assert claim is not None

    def abort_at_the_first_chunk() -> None:
        processing.abort(DataProcessing.objects.get())

    monkeypatch.setattr("bulkops.jobs.deletion.let_others_write", abort_at_the_first_chunk)
    run(claim)
    assert status_of(alice, running) == {
        "status": "ABORTED", "requested": 4, "processed": 2, "deleted": 2, "notFound": [], "error": None
    }  # fmt: skip
    assert Account.objects.count() == 2


@pytest.mark.contract("F5")
def test_aborting_what_is_aborted_succeeds_again(alice, running):
    for _ in range(3):
        assert alice.send("DELETE", path(alice, running)).status_code == 200
    assert status_of(alice, running)["status"] == "ABORTED"


@pytest.mark.contract("F3", "F5")
@pytest.mark.parametrize("status", [Status.COMPLETED, Status.FAILED])
def test_what_has_ended_otherwise_cannot_be_aborted(alice, running, status):
    """400 with the final status, which stays."""
    end(running, status)
    refused = alice.send("DELETE", path(alice, running))
    assert (refused.status_code, refused.json()["code"]) == (400, "PROCESSING_ENDED")
    assert running in refused.json()["detail"]
    assert status in refused.json()["detail"]
    assert status_of(alice, running)["status"] == status


@pytest.mark.contract("F3")
@pytest.mark.parametrize("status", ENDED)
def test_nothing_follows_a_final_state(alice, running, status):
    """Neither a polling worker nor a running one continues, and no other final status replaces it."""
    claim = claim_next("worker")
    assert claim is not None
    end(running, status)
    run(claim)
    claim.give_up("it failed")
    claim.give_back()
    work_now()
    for other in ENDED:
        assert not processing.end(DataProcessing.objects.get(), other)
    assert status_of(alice, running)["status"] == status
    assert Account.objects.count() == 4
