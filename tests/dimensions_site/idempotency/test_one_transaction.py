"""What a request does and the answer that reports it are stored together or not at all."""

import pytest
from django.db import DatabaseError, OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from dimensions_site.api.errors import Failure, Problem, bad_request
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.idempotency.models import StoredAnswer
from tests.dimensions_site.idempotency.posts import BULK, CREATE, DELETION, POSTS, code, is_replayed, stored

each = pytest.mark.parametrize("post", [post for post in POSTS if post.status < 300], ids=str)


@pytest.mark.contract("E2", "F2")
@pytest.mark.django_db(transaction=True)
@each
def test_what_cannot_be_answered_again_is_not_done(alice, monkeypatch, post):
    """The database rejects the answer, after everything else was written."""

    def refuse(*arguments, **values):
        raise OperationalError

    before = stored()
    with monkeypatch.context() as broken:
        broken.setattr(StoredAnswer.objects, "create", refuse)
        assert code(post.send(alice)) == (503, "DATABASE_UNAVAILABLE")
    assert stored() == before
    assert not StoredAnswer.objects.exists()
    assert post.send(alice).status_code == post.status


@each
def test_there_is_one_answer_for_each_key(alice, post):
    for key in ("one", "two", "one"):
        post.send(alice, key)
    assert sorted(StoredAnswer.objects.values_list("key", flat=True)) == ["one", "two"]


@pytest.mark.parametrize(
    "failure",
    [
        OperationalError("the database is away"),
        Problem(503, "CONFLICT", "Others create the same."),
        bad_request([Failure("id", "CONFLICT", "Others create and delete it.")]),
        Problem(429, "THROTTLED", "Too many."),
        Problem(409, "OTHER", "Something else."),
    ],
    ids=["database", "503", "400", "429", "409"],
)
def test_an_answer_that_asks_to_try_again_is_not_kept(alice, monkeypatch, failure):
    """With the same key it is tried again, and may be done."""

    def fail(*arguments):
        raise failure

    with monkeypatch.context() as failing:
        failing.setattr(Editor, "create", fail)
        assert CREATE.send(alice).status_code == getattr(failure, "status_code", 503)
    done = CREATE.send(alice)
    assert (done.status_code, is_replayed(done)) == (201, False)


def test_an_answer_to_a_failure_of_the_service_is_not_kept(alice, monkeypatch):
    """It is reported and logged once, as any other 500."""

    def fail(*arguments):
        raise RuntimeError("a bug of ours")

    with monkeypatch.context() as failing:
        failing.setattr(Editor, "create", fail)
        assert code(CREATE.send(alice)) == (500, "INTERNAL_ERROR")
    assert not StoredAnswer.objects.exists()
    assert CREATE.send(alice).status_code == 201


@pytest.mark.contract("E4")
@pytest.mark.django_db(transaction=True)
def test_of_a_refusal_and_of_a_dry_run_only_the_answer_is_kept(alice):
    """What was written before an error was found is undone."""
    taken = CREATE.send(alice).json()
    before = stored()
    for post in POSTS:
        if "dryRun" in post.rest or post.status == 400:
            assert post.send(alice, f"key of {post}").status_code == post.status
    with_taken = {"post": [*BULK.body["post"], {**taken, "type": "DETAIL"}]}
    refused = alice.send("POST", alice.account("elements-bulk"), with_taken, Idempotency_Key="taken")
    assert refused.status_code == 400
    assert stored() == before
    assert is_replayed(alice.send("POST", alice.account("elements-bulk"), with_taken, Idempotency_Key="taken"))


@pytest.mark.contract("B3")
@pytest.mark.django_db(transaction=True)
def test_a_refusal_is_reported_though_the_database_goes_away_before_it_is_kept(alice, monkeypatch):
    """It is correct, and nothing was done; the next request checks again."""
    refused = next(post for post in POSTS if post.status == 400)

    def fail(*arguments):
        raise OperationalError

    with monkeypatch.context() as away:
        away.setattr(BaseDatabaseWrapper, "savepoint_rollback", fail)
        assert refused.send(alice).status_code == 400
    assert not StoredAnswer.objects.exists()
    assert not is_replayed(refused.send(alice))


@pytest.mark.django_db(transaction=True)
def test_after_any_answer_the_connection_is_in_no_transaction(alice):
    """Nothing waits for a request that has ended, and its locks are released."""
    for post in (*POSTS, DELETION):
        post.send(alice, f"key of {post}")
        assert not transaction.get_connection().in_atomic_block
        with pytest.raises(DatabaseError):
            transaction.set_rollback(True)
