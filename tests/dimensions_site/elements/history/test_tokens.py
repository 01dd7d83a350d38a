"""A token is good for the states that its dimension of its repository had, and for nothing else."""

import base64
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from account.models import AccountVersion
from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.changes.states import SlotPosition, State
from dimensions_site.elements.history.moments import InvalidToken, state_of, token_of
from tests.dimensions_site.elements.history.calls import changes, refusal, token
from tests.factories import Person, account
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db, pytest.mark.contract("I4")]

INVALID = (400, "INVALID_TOKEN", [("since", "INVALID_TOKEN")])
BIGGEST = State(2**31, "currency", {slot: SlotPosition(2**63 - 1, b"\xff" * 4) for slot in range(16)})


@pytest.fixture
def since(alice: Person, northwind) -> str:
    store_accounts(northwind, account("1"), account("2"))
    return token(alice)


def touch(alice: Person, text: str, id: str = "1") -> None:
    answered = alice.send("PATCH", alice.account(f"elements/{id}"), {"descriptions": {"en": text}})
    assert answered.status_code == 200


def test_a_token_is_at_most_512_characters_long():
    """With all slots, and the largest numbers."""
    text = token_of(BIGGEST)
    assert len(text) <= 512
    assert state_of(text, BIGGEST.repository, "currency") == BIGGEST


def test_a_token_with_any_other_byte_is_refused(since, northwind):
    """In each place, by a letter that tokens have and by one that they do not have."""
    for position, letter in enumerate(since):
        for other in {"A", "B", "!", "ä", "\0"} - {letter}:
            with pytest.raises(InvalidToken):
                state_of(since[:position] + other + since[position + 1 :], northwind.pk, "account")


def test_a_token_without_any_of_its_ends_is_refused(since, northwind):
    """From the beginning and from the end, and with more than there is."""
    cut = [since[:length] for length in range(len(since))] + [since[start:] for start in range(1, len(since))]
    for text in (*cut, since + "A", " " + since, since + "\n", since * 8):
        with pytest.raises(InvalidToken):
            state_of(text, northwind.pk, "account")


@pytest.mark.parametrize("text", ["", "x", "." * 513, "A" * 5_000, "0", "ä", "2026-03-31", "%00", "../x", "A.B"])
def test_what_is_no_token_is_refused_by_name(alice, since, text):
    """400 with the code and the parameter."""
    assert refusal(alice, "changes", since=text) == INVALID


@pytest.mark.parametrize("parameter", ["asOf", "from", "to"])
def test_every_parameter_that_takes_a_token_refuses_a_tampered_one(alice, since, parameter):
    route = "" if parameter == "asOf" else "compare"
    status, code, errors = refusal(alice, route, **{parameter: since[:-1]})
    assert (status, code, errors) == (400, "INVALID_TOKEN", [(parameter, "INVALID_TOKEN")])


def test_a_token_is_good_for_its_dimension_and_repository_only(alice, bob, since):
    """For others it is no token."""
    assert refusal(alice, "changes", "currency", since=since) == INVALID
    response = bob.get(bob.account("elements-changes", "contoso"), {"since": since})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (400, "INVALID_TOKEN")
    assert "contoso" in response.json()["errors"][0]["message"]


def test_a_repository_of_the_same_name_does_not_take_the_tokens_of_a_deleted_one(alice, since, northwind):
    """Its tokens name another repository."""
    other = type(northwind).objects.create(db_id="other", name="Other")
    with pytest.raises(InvalidToken):
        state_of(since, other.pk, "account")


def test_tokens_are_signed_with_the_key_of_the_service(alice, since, settings):
    """Another key refuses them; as a fallback the old one still verifies them."""
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another-key-of-the-service-that-is-as-long-as-it-has-to-be"
    assert refusal(alice, "changes", since=since) == INVALID
    settings.SECRET_KEY_FALLBACKS = [old]
    assert changes(alice, since) == []


def test_a_token_that_nobody_signed_is_refused(northwind, since):
    """Its text alone says nothing."""
    forged = base64.urlsafe_b64encode(b"\0" + (99).to_bytes(8) + b"mark").decode().rstrip("=")
    with pytest.raises(InvalidToken):
        state_of(f"{forged}.{since.rpartition('.')[2]}", northwind.pk, "account")


def expired(alice: Person, since: str) -> None:
    """Assert that every route that takes the token answers 410 and what to do."""
    for route, parameter in (("changes", "since"), ("", "asOf"), ("count", "asOf"), ("compare", "from")):
        assert refusal(alice, route, **{parameter: since}) == (410, "TOKEN_EXPIRED", [])
    advice = alice.get(alice.account("elements-changes"), {"since": since}).json()["detail"]
    assert "List the elements again" in advice


def clean(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # for reads that have begun
    call_command("clean_old_history", days=days)


def age(days: int) -> None:
    """Move all that was committed so far into the past."""
    past = timezone.now() - timedelta(days=days)
    ChangeSet.objects.update(committed_at=past)
    Slot.objects.update(committed_at=past)


@pytest.mark.django_db(transaction=True)
def test_what_retention_has_deleted_expires_the_token(alice, since, monkeypatch):
    """One from after the replaced version is still good."""
    touch(alice, "Bank")
    later = token(alice)
    age(days=40)
    clean(monkeypatch, days=30)
    expired(alice, since)
    assert changes(alice, later) == []
    touch(alice, "Till")
    assert changes(alice, later) == [("saved", "1")]


@pytest.mark.django_db(transaction=True)
def test_retention_that_deletes_nothing_expires_nothing(alice, since, monkeypatch):
    """No version was replaced that long ago."""
    touch(alice, "Bank")
    clean(monkeypatch, days=30)
    assert changes(alice, since) == [("saved", "1")]


def rows_restored(folder: Path) -> Callable[[], None]:
    """Take a backup of what was written; the result restores it."""
    sets, slots = list(ChangeSet.objects.all()), list(Slot.objects.values())
    last = AccountVersion.objects.latest("number").number

    def restore() -> None:
        AccountVersion.objects.filter(number__gt=last).delete()
        ChangeSet.objects.exclude(pk__in=[one.pk for one in sets]).delete()
        Slot.objects.all().delete()
        Slot.objects.bulk_create(Slot(**values) for values in slots)

    return restore


def file_restored(folder: Path) -> Callable[[], None]:
    """The same with a copy of SQLite's file, as `backup_sqlite` writes it."""
    copy = folder / "backup.sqlite3"
    call_command("backup_sqlite", str(copy))
    file = Path(connection.settings_dict["NAME"])

    def restore() -> None:
        connection.close()
        for suffix in ("-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        shutil.copyfile(copy, file)

    return restore


RESTORES = [rows_restored, file_restored] if connection.vendor == "sqlite" else [rows_restored]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("backup", RESTORES)
def test_a_restored_backup_expires_tokens_of_what_it_has_undone(alice, since, tmp_path, backup):
    """At once, and whatever is written on: until the numbers are as high again, then, and afterwards."""
    touch(alice, "Bank")
    kept = token(alice)
    restore = backup(tmp_path)
    for text in ("Till", "Safe"):
        touch(alice, text)
    undone = token(alice)
    restore()
    expired(alice, undone)
    assert changes(alice, kept) == []
    for text in ("One", "Two", "Three", "Four"):
        touch(alice, text, "2")
        expired(alice, undone)
        assert changes(alice, kept) == [("saved", "2")]
        assert changes(alice, since) == [("saved", "1"), ("saved", "2")]


@pytest.mark.django_db(transaction=True)
def test_the_mark_distinguishes_two_change_sets_of_one_place(alice, since, northwind):
    """Though all numbers are the same."""
    (slot,) = Slot.objects.filter(repository=northwind)
    state = State(northwind.pk, "account", {slot.slot: SlotPosition(slot.number, uuid4().bytes[:4])})
    expired(alice, token_of(state))
    assert changes(alice, since) == []
