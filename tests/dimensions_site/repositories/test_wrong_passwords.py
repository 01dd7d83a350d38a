"""Wrong passwords are counted for each user name and address, and too many lock both for a while."""

import base64
import logging
import time
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dimensions_site.environment import Rate
from dimensions_site.repositories.login.lockout import with_failures
from dimensions_site.repositories.models import LoginFailures
from tests.dimensions_site.administration.site.people import browser_of
from tests.dimensions_site.api.access.test_basic_authentication import CountingHasher
from tests.dimensions_site.repositories.test_last_use import locked
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"
SIGN_IN, LIST = reverse("admin:login"), reverse("admin:repositories_loginfailures_changelist")


@pytest.fixture(autouse=True)
def hashed(settings):
    """The passwords that were hashed; nothing is left from other tests."""
    cache.clear()
    settings.LOGIN_ATTEMPTS = 3
    settings.PASSWORD_HASHERS = [f"{CountingHasher.__module__}.CountingHasher"]
    CountingHasher.hashed.clear()
    return CountingHasher.hashed


def call(name: str, password: str, address: str = HOME):
    """A call of the REST API with HTTP Basic."""
    credentials = base64.b64encode(f"{name}:{password}".encode()).decode()
    return Client(REMOTE_ADDR=address).get(
        Person().currency("elements-count"), headers={"Authorization": f"Basic {credentials}"}
    )


def sign_in(name: str, password: str, address: str = HOME, language: str = "en"):
    """A visit of the sign-in page."""
    browser = Client(REMOTE_ADDR=address, headers={"Accept-Language": language})
    return browser.post(SIGN_IN, {"username": name, "password": password})


def lock() -> None:
    for _ in range(3):
        call("alice", "wrong", HOME)


def statuses(*answers) -> list[int]:
    return [answer.status_code for answer in answers]


def test_too_many_wrong_passwords_lock_the_name_out_at_that_address(alice, hashed):
    """The last allowed one already locks; then even the right one is not checked. Elsewhere it is."""
    assert statuses(*(call("alice", f"wrong {number}") for number in range(4))) == [401, 401, 429, 429]
    hashed.clear()
    refused = call("alice", "alice-password")
    assert (refused.status_code, hashed) == (429, [])
    assert refused["Content-Type"] == "application/problem+json"
    assert 890 <= int(refused["Retry-After"]) <= 900
    assert refused.json()["code"] == "LOGIN_LOCKED"
    assert refused.json()["detail"] == (
        "There were 3 wrong passwords for this user name from your address; passwords are checked again "
        f"in {refused['Retry-After']} seconds."
    )
    assert statuses(call("alice", "alice-password", ELSEWHERE), call("rita", "wrong")) == [200, 401]


def test_the_lock_ends_by_itself_and_the_count_starts_again(alice, settings):
    """Calls in the meantime do not make it longer."""
    lock()
    LoginFailures.objects.update(failed_at=timezone.now() - timedelta(seconds=settings.LOGIN_LOCKOUT_SECONDS - 60))
    assert 1 <= int(call("alice", "wrong")["Retry-After"]) <= 60
    LoginFailures.objects.update(failed_at=timezone.now() - timedelta(seconds=settings.LOGIN_LOCKOUT_SECONDS + 1))
    assert statuses(*(call("alice", "wrong") for _ in range(2)), call("alice", "alice-password")) == [401, 401, 200]


@pytest.mark.parametrize(
    "addresses",
    [("2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff::3"), (HOME, f"::ffff:{HOME}", HOME), ("", "", "x")],
    ids=["a network of version 6", "version 4 within 6", "none"],
)
def test_one_client_has_one_address(alice, addresses):
    """An IPv6 client has any number of addresses; clients without an address count as one."""
    assert statuses(*(call("alice", "wrong", address) for address in addresses)) == [401, 401, 429]


def test_basic_and_the_sign_in_page_count_together(alice, hashed):
    """No further attempt is checked anywhere."""
    assert statuses(call("alice", "wrong"), sign_in("alice", "wrong"), call("alice", "wrong")) == [401, 200, 429]
    hashed.clear()
    assert (sign_in("alice", "alice-password").status_code, hashed) == (429, [])


def test_the_page_that_changes_the_own_password_counts_with_them(alice, hashed):
    """An open session of somebody else is no way to guess their password."""
    browser, address = browser_of(alice), reverse("admin:password_change")
    browser.defaults["REMOTE_ADDR"] = HOME

    def change(old: str, new: str = "a-long-Word-42"):
        return browser.post(address, {"old_password": old, "new_password1": new, "new_password2": new})

    assert statuses(change("wrong"), call("alice", "wrong"), change("wrong")) == [200, 401, 200]
    hashed.clear()
    locked_out = change("alice-password")
    assert (locked_out["Location"], hashed) == (address, [])
    words = "There were too many wrong passwords. Please try again in 15 minutes."
    assert words in browser.get(address).content.decode()
    call_command("unlock_logins", "alice")
    assert statuses(change("wrong"), change("alice-password", "1"), change("alice-password")) == [200, 200, 302]
    assert call("alice", "a-long-Word-42").status_code == 200


@pytest.mark.parametrize("language", ["en", "de", "it", "fr", "es"])
def test_the_sign_in_page_says_in_words_that_it_is_locked(alice, language):
    """With the status 429, in the language of the page, and with the form for later."""
    lock()
    page = sign_in("alice", "alice-password", language=language)
    (message,) = page.context["form"].non_field_errors()
    assert (page.status_code, page["Content-Type"]) == (429, "text/html; charset=utf-8")
    assert 890 <= int(page["Retry-After"]) <= 900
    assert "15" in message
    assert language != "en" or message == "There were too many wrong passwords. Please try again in 15 minutes."
    assert b'id="login-form"' in page.content


def test_a_call_with_a_remembered_password_writes_nothing_and_asks_for_no_failures(alice, django_assert_num_queries):
    """The user, the repository, the number of rows: as with a key."""
    call("alice", "alice-password")
    with django_assert_num_queries(3) as queries:
        assert call("alice", "alice-password").status_code == 200
    assert not [query for query in queries.captured_queries if not query["sql"].startswith("SELECT")]


def test_a_password_that_is_remembered_is_locked_out_too(alice, hashed):
    """Otherwise a locked-out attacker could continue guessing at the user's address, without the cost of a hash."""
    assert call("alice", "alice-password").status_code == 200
    lock()
    hashed.clear()
    assert call("alice", "alice-password").status_code == 429
    assert hashed == []


@pytest.mark.parametrize("name", ["a" * 5000, "a\u2028b", "\U0001f512" * 200, "ﷺ" * 150])
def test_any_name_can_be_counted(db, name):
    """Longer than a column, longer when normalized, of any letters."""
    assert statuses(*(call(name, "wrong") for _ in range(3))) == [401, 401, 429]


def test_nothing_of_the_request_is_kept_beside_name_and_address(alice, caplog):
    """Neither the password nor anything else that the client sent, in the table or in the log."""
    caplog.set_level(logging.DEBUG)
    browser = Client(headers={"User-Agent": "secret-agent", "Accept": "secret/accept"})
    form = {"username": "alice", "password": "secret-password", "token": "secret-field"}
    for _ in range(3):
        browser.post(f"{SIGN_IN}?next=secret-query", form)
    call("alice", "secret-password", "127.0.0.1")
    rows = list(LoginFailures.objects.values())
    assert {(row["name"], row["address"]) for row in rows} == {("alice", ""), ("alice", "127.0.0.1")}
    assert {member for row in rows for member in row} == {
        *("id", "name", "address", "failures", "failed_at", "daily_failures", "day_began_at", "succeeded_at")
    }
    assert "secret" not in str(rows)
    assert "secret" not in caplog.text


def test_a_wrong_password_costs_bounded_work(alice, hashed, django_assert_max_num_queries):
    """However many came before, of whatever names; one that is not checked costs little."""
    LoginFailures.objects.bulk_create(
        LoginFailures(name=f"name {number}", address=HOME, failures=1, failed_at=timezone.now())
        for number in range(100)
    )
    hashed.clear()
    with django_assert_max_num_queries(15):
        call("alice", "wrong")
    lock()
    with django_assert_max_num_queries(3):  # the user, the failures there, and whether the log may name the user
        call("alice", "wrong")
    assert hashed == ["wrong"] * 3


def test_a_superuser_sees_who_is_locked_out_and_unlocks_them(alice):
    """The log names who unlocked."""
    lock()
    call("rita", "wrong", ELSEWHERE)
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    page = root.get(LIST).content.decode()
    assert all(text in page for text in ("alice", HOME, "locked", "rita", ELSEWHERE, "open"))
    assert "Unlock the selected user names at their addresses" in page
    row = LoginFailures.objects.get(name="alice", address=HOME)
    assert root.get(reverse("admin:repositories_loginfailures_change", args=[row.pk])).status_code == 200
    done = root.post(LIST, {"action": "unlock", "_selected_action": [row.pk]}, follow=True)
    assert "1 user name is unlocked." in done.content.decode()
    assert statuses(call("alice", "alice-password")) == [200]
    assert set(with_failures().values_list("name", "address")) == {("alice", ""), ("rita", ""), ("rita", ELSEWHERE)}
    assert [str(entry.object_repr) for entry in LogEntry.objects.all()] == [f"alice ({HOME})"]


@pytest.mark.parametrize(
    "command",
    [[], ["alice"], ["Alice"], ["--address", HOME], ["--address", f"::ffff:{HOME}"], ["ALICE", "--address", HOME]],
    ids=" ".join,
)
def test_an_operator_unlocks_by_command(alice, command, capsys):
    """All, a name, an address, or both, however they are written; elsewhere everything stays as it is."""
    lock()
    call_command("unlock_logins", *command)
    # Beside the address the name has its daily count.
    assert capsys.readouterr().out == f"Failures reset: {1 if '--address' in command else 2}.\n"
    assert call("alice", "alice-password").status_code == 200


def test_no_password_is_checked_from_an_address_with_too_many_refusals(alice, settings, hashed):
    """Whatever the name, neither by Basic nor on the sign-in page: attackers try many names, too."""
    settings.THROTTLE_REFUSED = Rate(3, "day")
    assert statuses(*(call(f"name {number}", "wrong") for number in range(3))) == [401] * 3
    hashed.clear()
    refused = call("alice", "alice-password")
    assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_REFUSALS")
    assert sign_in("alice", "alice-password").status_code == 429
    assert hashed == []
    assert call("alice", "alice-password", ELSEWHERE).status_code == 200
    assert alice.get(alice.currency(), REMOTE_ADDR=HOME).status_code == 200  # nobody can guess a key


@pytest.mark.django_db(transaction=True)
def test_a_wrong_password_does_not_wait_for_a_long_writer(alice, settings):
    """On SQLite one writer locks the database. The password is refused at once, and counted by its address alone."""
    settings.THROTTLE_REFUSED = Rate(3, "day")
    with locked() as is_locked:
        began = time.monotonic()
        assert statuses(*(call("alice", "wrong") for _ in range(2))) == [401, 401]
        assert time.monotonic() - began < 18  # the usual timeout is 20 seconds
        assert LoginFailures.objects.exists() is not is_locked
        assert statuses(*(call("alice", "wrong") for _ in range(2)))[-1] == 429
