"""Too many wrong passwords for a user name within a day, from anywhere, lock out unknown addresses."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from bulkops.worker.tasks import clean
from dimensions_site.observability import metrics
from dimensions_site.repositories.models import LoginFailures, Role
from tests.dimensions_site.observability.lines import line, lines
from tests.dimensions_site.repositories.test_last_use import locked
from tests.dimensions_site.repositories.test_wrong_passwords import call, sign_in, statuses
from tests.factories import Person, add_person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

HOME = "192.0.2.1"
LIST = reverse("admin:repositories_loginfailures_changelist")


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Nothing is left from other tests."""
    cache.clear()


def networks() -> Iterator[str]:
    """Addresses of as many networks."""
    return (f"198.{51 + number // 250}.100.{number % 250}" for number in range(1_000))


def guess_from_everywhere(name: str, count: int) -> list[int]:
    """The statuses of that many wrong passwords, each from another network."""
    return statuses(*(call(name, "wrong", address) for address in islice(networks(), count)))


def test_150_wrong_passwords_from_150_networks_are_refused_from_the_hundredth_on(alice: Person) -> None:
    """The limit at its default, though no network has come twice."""
    assert guess_from_everywhere("alice", 150) == [401] * 99 + [429] * 51
    refused = call("alice", "alice-password", "203.0.113.9")
    assert (refused.status_code, refused.json()["code"]) == (429, "ACCOUNT_LOCKED")
    assert 86_300 < int(refused["Retry-After"]) <= 86_400
    assert refused.json()["detail"] == (
        "There were 100 wrong passwords for this user name within a day; passwords are checked again in "
        f"{int(refused['Retry-After']):,} seconds, or when an administrator unlocks the name."
    )


@pytest.fixture
def few(settings: Any) -> None:
    settings.LOGIN_ACCOUNT_ATTEMPTS = 6


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_a_name_that_nobody_has_is_locked_as_any_other(
    alice: Person, name: str, django_assert_max_num_queries: Any
) -> None:
    """The same statuses, messages and number of queries, before and after."""
    answers = [call(name, "wrong", address) for address in islice(networks(), 8)]
    assert statuses(*answers) == [401] * 5 + [429] * 3
    assert {answer.json()["code"] for answer in answers} == {"AUTHENTICATION_FAILED", "ACCOUNT_LOCKED"}
    with django_assert_max_num_queries(4):  # the user, two counts, and whether the log may name the user
        call(name, "wrong", "203.0.113.9")


@pytest.mark.usefixtures("few")
def test_where_the_user_has_signed_in_before_they_still_may(alice: Person) -> None:
    """Otherwise anybody could lock out anybody; by Basic, at the token endpoint and on the sign-in page."""
    User.objects.update(is_staff=True)
    assert call("alice", "alice-password", HOME).status_code == 200
    assert sign_in("alice", "alice-password", "192.0.2.2").status_code == 302
    assert guess_from_everywhere("alice", 8)[-1] == 429
    cache.clear()
    assert call("alice", "alice-password", HOME).status_code == 200
    assert sign_in("alice", "alice-password", "192.0.2.2").status_code == 302
    body = {"username": "alice", "password": "alice-password"}
    for address, status in ((HOME, 200), ("203.0.113.9", 429)):
        browser = Client(REMOTE_ADDR=address)
        assert browser.post("/auth/jwt/token", body, content_type="application/json").status_code == status
    assert sign_in("alice", "alice-password", "203.0.113.9").status_code == 429
    assert alice.get(alice.currency(), REMOTE_ADDR="203.0.113.9").status_code == 200  # keys and tokens keep working


@pytest.mark.usefixtures("few")
def test_a_known_address_has_a_count_of_its_own(alice: Person, settings: Any) -> None:
    """Failures there lock nobody out elsewhere, and are not endless: NIST's limit holds for each such address."""
    settings.LOGIN_ATTEMPTS = 100
    assert call("alice", "alice-password", HOME).status_code == 200
    cache.clear()
    assert statuses(*(call("alice", "wrong", HOME) for _ in range(7))) == [401] * 5 + [429] * 2
    assert call("alice", "alice-password", "192.0.2.2").status_code == 200
    assert call("alice", "alice-password", HOME).status_code == 429


@pytest.mark.usefixtures("few")
def test_a_right_password_resets_the_failures_of_its_address_alone(alice: Person) -> None:
    """Otherwise an attacker would get as many more attempts with each sign-in of the user."""
    assert call("alice", "alice-password", HOME).status_code == 200
    assert guess_from_everywhere("alice", 5) == [401] * 5
    cache.clear()
    assert statuses(call("alice", "wrong", HOME), call("alice", "alice-password", HOME)) == [401, 200]
    assert call("alice", "wrong", "203.0.113.9").status_code == 429
    assert LoginFailures.objects.get(address=HOME).daily_failures == 0


@pytest.mark.usefixtures("few")
def test_the_lock_ends_a_day_after_the_first_failure(alice: Person) -> None:
    """Calls meanwhile neither count nor prolong it; then the count starts again."""
    guess_from_everywhere("alice", 8)
    of_day = LoginFailures.objects.filter(address=LoginFailures.EVERYWHERE)
    assert of_day.get().daily_failures == 6
    of_day.update(day_began_at=timezone.now() - timedelta(hours=23, minutes=59))
    assert 1 <= int(call("alice", "wrong", "203.0.113.9")["Retry-After"]) <= 60
    of_day.update(day_began_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert call("alice", "wrong", "203.0.113.9").status_code == 401
    assert of_day.get().daily_failures == 1


@pytest.mark.usefixtures("few")
def test_an_address_is_known_for_thirty_days(alice: Person) -> None:
    """Counted from the last sign-in, which is stored once a day."""
    call("alice", "alice-password", HOME)
    guess_from_everywhere("alice", 8)
    cache.clear()
    LoginFailures.objects.filter(address=HOME).update(succeeded_at=timezone.now() - timedelta(days=29))
    assert call("alice", "alice-password", HOME).status_code == 200
    assert LoginFailures.objects.filter(address=HOME, succeeded_at__gt=timezone.now() - timedelta(minutes=1)).exists()
    cache.clear()
    LoginFailures.objects.filter(address=HOME).update(succeeded_at=timezone.now() - timedelta(days=31))
    assert call("alice", "alice-password", HOME).status_code == 429


@pytest.mark.usefixtures("few")
def test_all_spellings_and_all_addresses_of_a_network_count_together(alice: Person) -> None:
    """As for the lock of one address."""
    names = ["alice", "ALICE", "ａlice", "Alice", "alice", "aLICE", "alice"]
    assert statuses(*(call(name, "wrong", f"2001:db8:{n}::1") for n, name in enumerate(names))) == [401] * 5 + [429] * 2


@pytest.mark.usefixtures("few")
def test_a_locked_name_leaves_an_event_and_a_metric(alice: Person, caplog: pytest.LogCaptureFixture) -> None:
    """Once for each lockout; a name that no user has may be a password, and is not logged."""
    before = metrics.ACCOUNTS_LOCKED._value.get()
    guess_from_everywhere("alice", 8)
    entry = line(caplog, "account_locked")
    assert (entry["subject"], entry["failures"], entry["level"]) == ({"user": "alice"}, 6, "warning")
    caplog.clear()
    guess_from_everywhere("a-secret-typed-as-a-name", 8)
    assert line(caplog, "account_locked")["subject"] == {"user": None}
    assert "a-secret" not in caplog.text
    assert metrics.ACCOUNTS_LOCKED._value.get() == before + 2
    assert {entry["reason"] for entry in lines(caplog, "access_refused")} == {"AUTHENTICATION_FAILED", "ACCOUNT_LOCKED"}


@pytest.mark.usefixtures("few")
def test_a_superuser_sees_locked_names_and_unlocks_them(alice: Person) -> None:
    """The log names who unlocked; known addresses stay known."""
    call("alice", "alice-password", HOME)
    guess_from_everywhere("alice", 8)
    call("rita", "wrong", "192.0.2.2")
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    page = root.get(LIST).content.decode()
    assert all(text in page for text in ("alice", "all other addresses", "locked", "rita", "open"))
    assert HOME not in page  # there were no failures there
    row = LoginFailures.objects.get(name="alice", address="")
    done = root.post(LIST, {"action": "unlock", "_selected_action": [row.pk]}, follow=True)
    assert "1 user name is unlocked." in done.content.decode()
    assert call("alice", "alice-password", "203.0.113.9").status_code == 200
    assert [str(entry.object_repr) for entry in LogEntry.objects.all()] == ["alice (all other addresses)"]
    assert LoginFailures.objects.get(name="alice", address=HOME).succeeded_at is not None


def test_old_records_are_deleted_by_the_daily_cleaning(alice: Person, rita: Person) -> None:
    """Failures after a week, known addresses after thirty days."""
    now = timezone.now()
    for name, failed, succeeded in (("old", 8, None), ("young", 6, None), ("known", 8, 29), ("left behind", 31, 31)):
        LoginFailures.objects.create(
            name=name,
            failed_at=now - timedelta(days=failed),
            succeeded_at=now - timedelta(days=succeeded) if succeeded else None,
        )
    clean()
    assert {row.name for row in LoginFailures.objects.all()} == {"young", "known"}


@pytest.mark.django_db(transaction=True)
def test_a_right_password_does_not_wait_for_a_long_writer(northwind: Any) -> None:
    """On SQLite one writer locks the database; the address becomes known with a later sign-in."""
    add_person("zoe", northwind, Role.READER)
    with locked() as is_locked:
        assert call("zoe", "zoe-password", HOME).status_code == 200
    assert LoginFailures.objects.exists() is not is_locked
