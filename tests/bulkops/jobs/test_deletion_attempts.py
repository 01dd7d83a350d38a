"""A deletion whose worker dies, or that fails: it continues elsewhere, and it ends."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from account.models import Account, AccountVersion, CalculationLogic
from bulkops.jobs import claims
from bulkops.jobs.claims import ATTEMPTS, Claim, claim_next, release
from bulkops.jobs.deletion import run
from bulkops.jobs.heartbeat import heartbeat
from bulkops.models import DataProcessing, DeletionChunk
from bulkops.worker.tasks import work
from tests.bulkops.jobs.deletions import claimed, start, status_of, undeletable, work_now
from tests.factories import account
from tests.storing import store_accounts

HALF_DONE = {"status": "RUNNING", "requested": 4, "processed": 2, "deleted": 2, "notFound": [], "error": None}
SECOND = timedelta(seconds=1)
# More seconds than any test takes.
LONG = 600
DONE = {"status": "COMPLETED", "requested": 4, "processed": 4, "deleted": 4, "notFound": [], "error": None}


def be_silent(seconds: float) -> None:
    """Let that many seconds pass since the last heartbeat."""
    DataProcessing.objects.update(heartbeat=F("heartbeat") - timedelta(seconds=seconds))


def killed() -> None:
    """What happens to a process that does not release its claim."""
    raise SystemExit


@pytest.fixture
def dead(running, monkeypatch) -> Claim:
    """The claim of a worker that was killed after the first of two chunks."""
    claim = claimed("dead")
    with monkeypatch.context() as patch:
        patch.setattr("bulkops.jobs.deletion.let_others_write", killed)
        with pytest.raises(SystemExit):
            run(claim)
    return claim


# --- Workers that die --------------------------------------------------------------------------


@pytest.mark.contract("F6")
def test_what_a_dead_worker_had_goes_on_where_it_stopped(alice, running, dead, settings):
    """Nothing is done twice; and the lost worker, should it still run, does nothing more."""
    assert status_of(alice, running) == HALF_DONE
    be_silent(settings.WORKER_LOST_AFTER_SECONDS + 1)
    other = claimed("other")
    run(dead)
    assert status_of(alice, running) == HALF_DONE
    run(other)
    assert status_of(alice, running) == DONE
    assert AccountVersion.objects.filter(change="-").count() == 4


@pytest.mark.contract("F6")
def test_what_a_worker_had_is_free_at_once_when_its_death_is_certain(running):
    """Nothing of another worker, though its name begins alike."""
    claimed("worker:1234")
    release("worker:123")
    assert claim_next("other") is None
    release("worker:1234")
    assert claim_next("other") is not None


@pytest.mark.contract("F6")
def test_of_a_deletion_that_kills_its_workers_nothing_is_left_but_the_report(alice, running, settings):
    """After the allowed number of attempts it has failed; an administrator reads what happened and what to do."""
    for _ in range(ATTEMPTS):
        claimed()
        be_silent(settings.WORKER_LOST_AFTER_SECONDS + 1)
    assert claim_next("worker") is None
    status = status_of(alice, running)
    assert status["status"] == "FAILED"
    assert status["error"].startswith(
        f"The deletion was given up after {ATTEMPTS} attempts in a row at which nothing could be deleted: the worker "
        "process ended unexpectedly. Until then 0 of 4 ids had been processed and 0 elements deleted;"
    )
    assert running in status["error"]
    assert not DeletionChunk.objects.exists()


@pytest.mark.contract("F6")
def test_progress_starts_the_count_again(alice, running, monkeypatch, settings):
    """A long deletion may outlive any number of workers, as long as each gets something done."""
    DataProcessing.objects.update(attempts=ATTEMPTS - 1)
    monkeypatch.setattr("bulkops.jobs.deletion.let_others_write", killed)
    with pytest.raises(SystemExit):
        run(claimed())
    assert DataProcessing.objects.get().attempts == 1
    be_silent(settings.WORKER_LOST_AFTER_SECONDS + 1)
    run(claimed())
    assert status_of(alice, running) == DONE


# --- Workers that are asked to end -------------------------------------------------------------


@pytest.mark.contract("F6")
def test_a_worker_that_is_to_end_stops_at_a_chunk_and_another_goes_on_at_once(alice, running, monkeypatch):
    """It costs no attempt."""
    with monkeypatch.context() as patch:
        patch.setattr(type(heartbeat), "is_ending", True)
        work()
        assert status_of(alice, running)["processed"] == 0
        run(claimed())
        assert status_of(alice, running) == HALF_DONE
    assert DataProcessing.objects.get().attempts == 0
    work()
    assert status_of(alice, running) == DONE


# --- Failures ----------------------------------------------------------------------------------


real_transactions = pytest.mark.django_db(transaction=True)


def break_before_delete(patch: pytest.MonkeyPatch) -> None:
    """Let deleting accounts fail when everything but the rows themselves is deleted already."""
    original = Account.before_delete

    def fail(rows, repository):
        original(rows, repository)
        raise RuntimeError("broken")

    patch.setattr(Account, "before_delete", fail)


@real_transactions
@pytest.mark.contract("F5", "F6")
@pytest.mark.parametrize("error", ["database", "service"])
def test_a_chunk_is_deleted_whole_or_not_at_all(alice, northwind, monkeypatch, error):
    """An error leaves its elements, the counts, the history and generated logic as they were; later it continues."""
    store_accounts(northwind, account("Z1", rules={"grossAmountEqualICSum": True}), account("Z2"))
    oid = start(alice, ["Z1", "Z2"])
    if error == "database":
        with undeletable("account_account", "Z2"):
            work_now()
    else:
        with monkeypatch.context() as patch:
            break_before_delete(patch)
            work_now()
    assert status_of(alice, oid) == {
        "status": "RUNNING", "requested": 2, "processed": 0, "deleted": 0, "notFound": [], "error": None
    }  # fmt: skip
    assert Account.objects.count() == 2
    assert CalculationLogic.objects.count() == 1
    assert not AccountVersion.objects.filter(change="-").exists()
    assert DeletionChunk.objects.get().ids == ["Z1", "Z2"]
    work_now()
    assert status_of(alice, oid)["deleted"] == 2


@real_transactions
@pytest.mark.contract("F6")
def test_what_goes_wrong_is_tried_again_after_a_growing_pause(running, monkeypatch):
    """More than a minute in all; nobody claims it meanwhile."""
    break_before_delete(monkeypatch)
    pauses = [claims._FIRST_PAUSE * 2**number for number in range(ATTEMPTS - 1)]
    assert sum(pauses, timedelta()) > timedelta(minutes=1)
    for pause in pauses:
        before = timezone.now() - SECOND  # the clock of the database may be a little less exact
        work_now()
        assert before <= DataProcessing.objects.get().due_at - pause <= timezone.now() + SECOND
        # However long it takes until somebody polls.
        DataProcessing.objects.update(due_at=F("due_at") + LONG * SECOND)
        assert claim_next("other") is None


@real_transactions
@pytest.mark.contract("F4", "F6")
@pytest.mark.parametrize(
    ("error", "happened"), [("database", "the database failed"), ("service", "the service itself failed")]
)
def test_what_always_goes_wrong_has_failed_in_the_end(alice, running, monkeypatch, caplog, error, happened):
    """What was deleted before stays deleted and is counted; only the log has the cause."""
    first = claimed()
    with monkeypatch.context() as patch:
        patch.setattr(type(heartbeat), "is_ending", True)
        run(first)
    with undeletable("account_account", "E003") if error == "database" else monkeypatch.context() as patch:
        if patch is not None:
            break_before_delete(patch)
        for _ in range(ATTEMPTS + 1):
            work_now()
    status = status_of(alice, running)
    assert {**status, "error": None} == {**HALF_DONE, "status": "FAILED"}
    assert f"{happened}. Until then 2 of 4 ids had been processed and 2 elements deleted;" in status["error"]
    assert "refused" not in status["error"]
    assert "broken" not in status["error"]
    assert not DeletionChunk.objects.exists()
    assert Account.objects.count() == 2
    assert len([record for record in caplog.records if "processing_interrupted" in record.getMessage()]) == ATTEMPTS
