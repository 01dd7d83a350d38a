"""How much is stored about requests with a key."""

import json

import pytest

from account.models import Account
from dimensions_site.idempotency.models import SMALL_ANSWER, StoredAnswer, StoredAnswerPart
from tests.dimensions_site.idempotency.posts import BULK, CREATE, Post, code, is_replayed
from tests.factories import account


def saving(first: int, count: int = 100) -> Post:
    """A bulk save of the given number of accounts, whose response is some hundred thousand bytes."""
    return Post("account", "elements-bulk", {"post": [account(f"{first + n}") for n in range(count)]}, 200)


def test_the_oldest_large_answers_make_room_and_their_requests_are_not_done_again(alice, settings):
    """A repetition learns that the request was done, when, and with which status; small answers stay."""
    first = saving(0).send(alice, key="first")
    settings.IDEMPOTENCY_MAX_BYTES = 2 * len(first.body) + SMALL_ANSWER
    small = CREATE.send(alice, key="small")
    for number in (1, 2):
        saving(number * 100).send(alice, key=f"{number}")
    count = Account._base_manager.count()
    again = saving(0).send(alice, key="first")
    assert code(again) == (410, "IDEMPOTENT_ANSWER_NOT_KEPT")
    assert again["Idempotent-Replayed"] == "true"
    assert "with status 200" in again.json()["detail"]
    assert f"{len(first.body):,} bytes" in again.json()["detail"]
    for number in (1, 2):
        assert is_replayed(saving(number * 100).send(alice, key=f"{number}"))
    assert CREATE.send(alice, key="small").body == small.body
    assert Account._base_manager.count() == count
    assert code(BULK.send(alice, key="first")) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_an_answer_larger_than_all_that_is_kept_is_answered_once(alice, settings):
    """The first client gets all of it, and the key is remembered."""
    settings.IDEMPOTENCY_MAX_BYTES = SMALL_ANSWER
    first = saving(0).send(alice, key="first")
    assert (first.status_code, len(json.loads(first.body))) == (200, 100)
    assert StoredAnswerPart.objects.count() == 0
    assert code(saving(0).send(alice, key="first")) == (410, "IDEMPOTENT_ANSWER_NOT_KEPT")
    assert Account._base_manager.count() == 100


@pytest.mark.parametrize("count", [100, 400], ids=["sent at once", "streamed"])
def test_an_answer_that_is_dropped_while_it_is_looked_for_is_not_kept_either(alice, count: int):
    """Another request has found it before that."""
    saving(0, count).send(alice, key="first")
    StoredAnswerPart.objects.all().delete()
    assert code(saving(0, count).send(alice, key="first")) == (410, "IDEMPOTENT_ANSWER_NOT_KEPT")


@pytest.mark.contract("G2")
def test_the_answers_of_others_stay(alice, rita, northwind, contoso, settings):
    """Each user has separate room in each repository."""
    saving(0).send(alice, key="hers")
    settings.IDEMPOTENCY_MAX_BYTES = SMALL_ANSWER + 1
    alice.user.access_grants.create(repository=contoso, role=alice.user.access_grants.get().role, dimension="all")
    saving(0).send(alice, key="elsewhere", db_id="contoso")
    assert is_replayed(saving(0).send(alice, key="hers"))


@pytest.mark.contract("E4")
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_a_dry_run_is_not_remembered(alice, dimension):
    """It does nothing, so nothing can be done twice: the same key is available for the save itself."""
    for _ in range(2):
        response = Post(dimension, "elements-bulk?dryRun=true", {"post": []}, 200).send(alice, key="both")
        assert (response.status_code, is_replayed(response)) == (200, False)
    assert not StoredAnswer.objects.exists()
    post = Post("account", "elements-bulk", BULK.body, 200)
    saved = post.send(alice, key="both")
    assert saved.status_code == 200
    assert not is_replayed(saved)
    assert is_replayed(post.send(alice, key="both"))


@pytest.mark.contract("E4")
def test_a_key_of_a_dry_run_has_to_be_a_key(alice):
    """Whether it is still stored or not."""
    assert code(Post("account", "elements-bulk?dryRun=true", BULK.body, 400).send(alice, key="x" * 256)) == (
        400,
        "INVALID",
    )
