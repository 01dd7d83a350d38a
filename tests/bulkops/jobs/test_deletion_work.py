"""What a worker does with a deletion, and the states in which it is."""

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from account.models import Account, AccountVersion, CalculationLogic
from bulkops.jobs import processing
from bulkops.jobs.claims import claim_next
from bulkops.jobs.deletion import _Deletion, run
from bulkops.models import DataProcessing, DeletionChunk, Status
from dimensions_site.repositories.models import AccessGrant, Role
from tests.bulkops.jobs.deletions import claimed, fill, path, start, status_of, work_now
from tests.dimensions import MODELS
from tests.factories import account
from tests.storing import store_accounts

DONE = {"status": "COMPLETED", "error": None}


@pytest.fixture(params=["currency", "account"])
def dimension(request):
    return request.param


@pytest.mark.contract("F3", "F4")
def test_the_elements_are_deleted_and_counted(alice, northwind, dimension):
    """Those that were named, and in this dimension only."""
    ids = fill(northwind, 5)
    oid = start(alice, ids[:3], dimension)
    assert status_of(alice, oid, dimension) == {
        "status": "RUNNING", "requested": 3, "processed": 0, "deleted": 0, "notFound": [], "error": None
    }  # fmt: skip
    work_now()
    assert status_of(alice, oid, dimension) == {"requested": 3, "processed": 3, "deleted": 3, "notFound": [], **DONE}
    left = {name: sorted(model.objects.values_list("element_id", flat=True)) for name, model in MODELS.items()}
    assert left.pop(dimension) == ids[3:]
    assert [found for found in left.values() if found] == [ids]


@pytest.mark.contract("F1", "F4")
def test_ids_that_do_not_exist_are_reported_and_are_not_a_failure(alice, northwind, settings, dimension):
    """In the order of the request, over all chunks; an id that no element can have counts as not found."""
    settings.DELETION_CHUNK_SIZE = 2
    known = fill(northwind, 2)
    oid = start(alice, ["none", known[0], " ", "e001", known[1], "."], dimension)
    work_now()
    assert status_of(alice, oid, dimension) == {
        "requested": 6, "processed": 6, "deleted": 2, "notFound": ["none", " ", "e001", "."], **DONE
    }  # fmt: skip


@pytest.mark.contract("F4")
def test_at_most_a_thousand_ids_that_were_not_found_are_reported(alice):
    """The first ones; the counts include all."""
    ids = [f"none-{number}" for number in range(1_200)]
    oid = start(alice, ids)
    work_now()
    assert status_of(alice, oid) == {
        "requested": 1_200,
        "processed": 1_200,
        "deleted": 0,
        "notFound": ids[:1_000],
        **DONE,
    }


@pytest.mark.contract("C17")
def test_what_was_generated_for_an_account_goes_with_it(alice, northwind):
    """The calculation logic of the others stays."""
    logic = {"rules": {"grossAmountEqualICSum": True}}
    store_accounts(northwind, account("A", **logic), account("B", **logic))
    start(alice, ["A"])
    work_now()
    assert CalculationLogic.objects.get().account.element_id == "B"


@pytest.mark.contract("F3", "G2")
@pytest.mark.parametrize("loss", ["role", "dimension", "active", "user"])
def test_who_has_lost_the_right_deletes_nothing_more(alice, northwind, settings, loss):
    """Since they requested it, or between two chunks."""
    settings.DELETION_CHUNK_SIZE = 1
    oid = start(alice, fill(northwind, 3)[:2])
    claim = claimed()
    held = claim.held.get()
    assert _Deletion(claim, held).go_on()
    grants = AccessGrant.objects.filter(user=alice.user)
    lose = {
        "role": lambda: grants.update(role=Role.EDITOR),
        "dimension": lambda: grants.update(dimension="currency"),
        "active": lambda: User.objects.filter(pk=alice.user.pk).update(is_active=False),
        "user": alice.user.delete,
    }
    lose[loss]()
    run(claim)
    found = DataProcessing.objects.get(oid=oid)
    assert (found.status, found.deleted, Account.objects.count()) == ("FAILED", 1, 2)
    assert "alice may no longer delete: this needs the role manager" in str(found.error)
    assert not DeletionChunk.objects.exists()


@pytest.mark.contract("F5")
def test_the_remaining_work_is_deleted_at_the_end(alice, northwind):
    """No chunk, no claim."""
    start(alice, fill(northwind, 3))
    work_now()
    assert not DeletionChunk.objects.exists()
    processing = DataProcessing.objects.get()
    assert (processing.claimed_by, processing.heartbeat) == (None, None)
    assert processing.finished_at is not None


@pytest.mark.contract("F2")
def test_a_worker_does_all_that_waits_and_nothing_twice(alice, northwind):
    """Two deletions of the same elements: the second finds nothing; a needless poll does nothing."""
    ids = fill(northwind, 2)
    first, second = start(alice, ids), start(alice, ids)
    work_now()
    work_now()
    assert status_of(alice, first)["deleted"] == 2
    assert status_of(alice, second) == {"requested": 2, "processed": 2, "deleted": 0, "notFound": ids, **DONE}
    assert AccountVersion.objects.filter(change="-").count() == 2


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
