"""For how long a key is stored."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from account.models import Account
from bulkops.worker.tasks import clean
from dimensions_site.idempotency.models import StoredAnswer
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.dimensions_site.idempotency.posts import BULK, CREATE, DELETION, code, is_replayed


def grow_old(hours: float) -> None:
    """Let the given number of hours pass, for the stored answers."""
    StoredAnswer.objects.update(created_at=Now() - timedelta(hours=hours))


@pytest.mark.parametrize("post", [CREATE, BULK, DELETION], ids=str)
def test_after_its_hours_a_key_is_as_good_as_new(alice, settings, post):
    """Whether it was purged by then or not; and then the next request stores it."""
    settings.IDEMPOTENCY_KEY_HOURS = 3
    post.send(alice)
    grow_old(2.9)
    assert is_replayed(post.send(alice))
    grow_old(3.1)
    again = post.send(alice)
    assert not is_replayed(again)
    assert post.send(alice).body == again.body
    assert StoredAnswer.objects.count() == 1


def test_an_old_key_may_come_with_another_request(alice):
    CREATE.send(alice)
    grow_old(25)
    assert code(CREATE.send(alice, key="month-end-2026-01")) == (400, "ALREADY_EXISTS")
    grow_old(25)
    assert DELETION.send(alice).status_code == 202


def test_the_daily_cleaning_purges_what_is_no_longer_found(alice):
    """Newer ones stay."""
    BULK.send(alice, key="old")
    grow_old(23.9)
    clean()
    assert StoredAnswer.objects.count() == 1
    grow_old(24.1)
    young = CREATE.send(alice, key="young")
    clean()
    assert [answer.key for answer in StoredAnswer.objects.all()] == ["young"]
    assert CREATE.send(alice, key="young").body == young.body


def test_a_user_is_deleted_however_many_answers_they_have(alice):
    """They stay until they expire, and nobody gets them: the user cannot call any more."""
    CREATE.send(alice)
    with CaptureQueriesContext(connection) as queries:
        alice.user.delete()
    assert not any("storedanswer" in query["sql"] for query in queries)
    assert CREATE.send(alice).status_code == 401
    grow_old(26)
    clean()
    assert not StoredAnswer.objects.exists()


def test_a_repository_is_deleted_however_many_answers_there_are(alice, northwind):
    """Another user of that name has none of them."""
    CREATE.send(alice)
    Account.objects.all().delete()
    northwind.delete()
    again = Repository.objects.create(db_id="northwind", name="Northwind, once more")
    AccessGrant.objects.create(user=alice.user, repository=again, role=Role.MANAGER)
    done = CREATE.send(alice)
    assert (done.status_code, is_replayed(done)) == (201, False)
