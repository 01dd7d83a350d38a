"""What the next release has stored, this one reads or refuses as a whole (contract P3)."""

import zlib

import pytest

from bulkops.files.formats.rows import ReadingOptions
from bulkops.jobs import brokers
from bulkops.jobs.file_imports import Choices
from bulkops.models import FileImport, PlanChange
from bulkops.worker import tasks
from dimensions_site.idempotency.models import StoredAnswer
from tests.bulkops.plans.plans import apply, make
from tests.bulkops.save.bulk import elements
from tests.dimensions_site.idempotency.posts import CREATE
from tests.factories import account

pytestmark = pytest.mark.contract("P3")


def test_the_queue_has_one_task_whose_name_stays():
    """Workers of any release find it: what is to be done is in the rows of the jobs."""
    assert brokers._WORK == "bulkops.worker.tasks.work" == f"{tasks.__name__}.{tasks.work.__name__}"


def test_choices_of_an_import_that_this_release_does_not_know_are_left_out():
    """And those that it does not find have their defaults."""
    stored = {"mode": "SYNC", "later": 1, "reading": {"encoding": "cp1250", "later": {"much": True}}}
    choices = Choices.of(FileImport(options=stored))
    assert choices == Choices(mode="SYNC", reading=ReadingOptions(encoding="cp1250"))


def test_a_plan_with_a_field_that_this_release_does_not_know_is_refused_as_a_whole(alice):
    """It would lose the field. The answer names it; applied by the next release the plan is done."""
    plan = make(alice, "account", snapshot=[account("1"), account("2")])
    change = PlanChange.objects.get(element_id="2")
    change.after = str(change.after).replace("{", '{"later": "value", ', 1)
    change.save()
    response = apply(alice, "account", plan)
    assert response.status_code == 400
    (error,) = response.json()["errors"]
    assert (error["path"], error["code"]) == ("/2/later", "UNKNOWN_MEMBER")
    assert elements(alice, "account") == []


def test_an_answer_that_the_next_release_has_stored_is_replayed_as_it_is(alice):
    """With headers and members of which this release knows nothing."""
    CREATE.send(alice)
    body = b'{"id":"one","later":true}'
    StoredAnswer.objects.update(status=299, headers={"X-Later": "1"}, body=zlib.compress(body))
    again = CREATE.send(alice)
    assert (again.status_code, again["X-Later"], again.body) == (299, "1", body)
