"""For how long the records of deletions are kept."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django_q.models import Schedule

from bulkops.models import DataProcessing, Status, Worker
from bulkops.worker.tasks import clean, schedule_cleaning
from tests.bulkops.jobs.deletions import start


@pytest.fixture
def ended(alice):
    """A deletion that ended that many days ago in that state."""

    def make(status: Status, days: float) -> str:
        oid = start(alice, ["A"])
        DataProcessing.objects.filter(oid=oid).update(status=status, finished_at=Now() - timedelta(days=days))
        return oid

    return make


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.FAILED, Status.ABORTED])
def test_what_ended_longer_ago_than_it_is_kept_is_purged(ended, settings, status):
    """Whatever its final status was; the boundary is a whole day."""
    settings.DATA_PROCESSING_RETENTION_DAYS = 10
    ended(status, 10.5)
    young = ended(status, 9.5)
    clean()
    assert [processing.oid for processing in DataProcessing.objects.all()] == [young]


def test_what_runs_is_kept_however_old_it_is(alice):
    start(alice, ["A"])
    DataProcessing.objects.update(due_at=Now() - timedelta(days=1000))
    clean()
    assert DataProcessing.objects.count() == 1


@pytest.mark.django_db
def test_a_lost_worker_is_purged_after_a_day():
    Worker.objects.create(name="lost", beat_at=Now() - timedelta(days=2))
    Worker.objects.create(name="just lost", beat_at=Now() - timedelta(hours=2))
    clean()
    assert [worker.name for worker in Worker.objects.all()] == ["just lost"]


@pytest.mark.django_db
def test_each_start_of_a_worker_schedules_the_cleaning_once(alice):
    """Every day; a changed schedule is corrected."""
    schedule_cleaning()
    Schedule.objects.update(func="gone.task", repeats=0)
    schedule_cleaning()
    schedule = Schedule.objects.get()
    assert (schedule.func, schedule.schedule_type, schedule.repeats) == (
        "bulkops.worker.tasks.clean",
        Schedule.DAILY,
        -1,
    )
