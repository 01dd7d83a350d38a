"""Superusers read in words what workers and tasks do."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule, Success, Task
from django_q.tasks import async_task

from bulkops.models import Worker
from bulkops.worker.tasks import schedule_cleaning
from tests.dimensions_site.administration.site.people import page

pytestmark = [pytest.mark.contract("F7"), pytest.mark.django_db]

CLEANING = "Delete what has expired: ended jobs, abandoned imports, old proposals, stored answers and tokens"
ERROR = 'disk <full> : Traceback (most recent call last):\n  File "tasks.py", line 48, in clean\nOSError: disk <full>'


def ended(id: str, **fields: Any) -> Task:
    now = timezone.now()
    given = {"name": "red-fox", "func": "bulkops.worker.tasks.clean", "started": now - timedelta(seconds=2.5)}
    return Task.objects.create(id=id * 32, **{**given, "stopped": now, **fields})


def text(root: Client, model: Any, *address: Any) -> str:
    return root.get(page(model, *address)).content.decode()


def test_a_task_that_succeeded_says_what_it_was_for_and_how_long_it_took(root):
    """Its function stands on its page, below its purpose."""
    done = ended("a")
    listed = text(root, Success)
    assert all(words in listed for words in (CLEANING, "Started", "Ended", "2.5", "Done"))
    assert "bulkops.worker" not in listed
    shown = text(root, Success, "change", done.pk)
    assert shown.index(CLEANING) < shown.index("bulkops.worker.tasks.clean")


def test_the_error_of_a_failed_task_is_read_in_a_sentence_and_in_full(root):
    """Without HTML of its own."""
    failed = ended("b", success=False, result=ERROR)
    listed = text(root, Failure)
    assert "Failed: disk &lt;full&gt;" in listed
    assert "Traceback" not in listed
    assert "line 48, in clean" in text(root, Failure, "change", failed.pk)


@pytest.mark.parametrize("result", [None, "", "x" * 5000, {"no": "text"}])
def test_what_else_a_task_may_have_returned_is_shown(root, result):
    """Also that of a function which this version does not know."""
    failed = ended("c", success=False, result=result, func="old.name")
    for address in ((), ("change", failed.pk)):
        assert "old.name" in text(root, Failure, *address)


def test_the_schedule_says_how_often_when_next_and_how_it_went(root, django_assert_num_queries):
    """With a link to the last run, in as many queries for one as for many."""
    schedule_cleaning()
    listed = text(root, Schedule)
    assert all(words in listed for words in (CLEANING, "Daily", "Next run"))
    failed = ended("d", success=False, result=ERROR)
    Schedule.objects.update(task=failed.pk)
    with django_assert_num_queries(6):
        listed = text(root, Schedule)
    assert f'href="{reverse("admin:django_q_failure_change", args=[failed.pk])}"' in listed
    for _ in range(5):
        Schedule.objects.create(func="bulkops.worker.tasks.clean", task=failed.pk)
    with django_assert_num_queries(6):
        text(root, Schedule)


def test_the_queue_says_what_waits_and_what_is_taken(root):
    """Also when a task cannot be read, because it was signed with another key."""
    async_task("bulkops.worker.tasks.work", save=False)
    listed = text(root, OrmQ)
    assert "Do the waiting deletions and imports" in listed
    assert "Waiting for a worker" in listed
    OrmQ.objects.update(lock=timezone.now() + timedelta(hours=1))
    assert "Taken by a worker." in text(root, OrmQ)
    OrmQ.objects.update(payload="nonsense")
    assert "Unreadable" in text(root, OrmQ)
    queued = OrmQ.objects.get()
    assert "Unreadable" in text(root, OrmQ, "change", queued.pk)


def test_a_worker_says_whether_it_works(root):
    """By its heartbeat; its place is read without the rest of its name."""
    now = timezone.now()
    Worker.objects.create(name="alpha:17:0123abcd", beat_at=now - timedelta(seconds=3))
    Worker.objects.create(name="beta:18:4567cdef", beat_at=now - timedelta(hours=3))
    listed = text(root, Worker)
    assert "Works: the last heartbeat was" in listed
    assert "Lost: the last heartbeat was at" in listed
    assert "0123abcd" not in listed
    assert all(words in listed for words in ("alpha", "17", "beta", "18"))
    Worker.objects.create(name="odd", beat_at=now)
    assert "odd" in text(root, Worker)
