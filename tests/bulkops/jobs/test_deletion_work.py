"""What a worker does with a deletion."""

import pytest

from account.models import AccountVersion, CalculationLogic
from bulkops.models import DataProcessing, DeletionChunk
from tests.bulkops.jobs.deletions import fill, start, status_of, work_now
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
