"""A session goes on as long as the provider confirms it, and ends when it refuses, logs out or is silent too long."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone
from time_machine import TimeMachineFixture

from dimensions_site.environment import Rate
from dimensions_site.repositories.models import AccessChange
from dimensions_site.tokens.ending import delete_expired_tokens
from dimensions_site.tokens.models import ProviderSession
from dimensions_site.tokens.openid import provider, sessions
from tests.dimensions_site.tokens.openid.company import EVENT, LOGOUT, Company, is_signed_in, sign_in
from tests.dimensions_site.tokens.provider import private_key

pytestmark = [pytest.mark.contract("N4"), pytest.mark.django_db]


@pytest.fixture
def nora(company: Company, accountants: Group) -> Client:
    """Her browser, in which she has signed in."""
    browser = Client()
    assert sign_in(company, browser).status_code == 302
    return browser


def minutes_pass(time_machine: TimeMachineFixture, minutes: int) -> None:
    time_machine.move_to(timezone.now() + timedelta(minutes=minutes), tick=False)


def reasons() -> list[str]:
    """Why sessions have ended."""
    return [(change.changes or {})["reason"] for change in AccessChange.objects.filter(event="sign_in_ended")]


def test_a_page_asks_the_provider_every_fifteen_minutes(
    company: Company, nora: Client, time_machine: TimeMachineFixture
) -> None:
    """With the refresh token, which each answer replaces."""
    minutes_pass(time_machine, 14)
    assert is_signed_in(nora)
    assert company.refreshed == []
    minutes_pass(time_machine, 2)
    assert all(is_signed_in(nora) for _ in range(3))
    assert company.refreshed == ["first-refresh"]
    minutes_pass(time_machine, 16)
    assert is_signed_in(nora)
    assert company.refreshed == ["first-refresh", "refresh-1"]


@pytest.mark.django_db(transaction=True)
def test_of_pages_that_are_opened_at_once_one_asks(
    company: Company, nora: Client, time_machine: TimeMachineFixture
) -> None:
    """A refresh token is good for one use: the provider would end the session for a second one."""
    minutes_pass(time_machine, 16)
    key = nora.cookies["sessionid"].value

    def open_page(_: int) -> bool:
        browser = Client()
        browser.cookies["sessionid"] = key
        try:
            return is_signed_in(browser)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(open_page, range(8)))
    assert company.refreshed == ["first-refresh"]


@pytest.mark.parametrize("refusal", ["invalid_grant", "access_denied", "interaction_required", "login_required"])
def test_a_person_whom_the_provider_refuses_is_out_at_the_next_check(
    company: Company, nora: Client, time_machine: TimeMachineFixture, refusal: str
) -> None:
    """For good: what the provider says later does not bring the session back."""
    company.refusal = refusal
    minutes_pass(time_machine, 16)
    assert not is_signed_in(nora)
    company.refusal = None
    assert not is_signed_in(nora)
    assert reasons() == ["provider_refused"]
    assert not ProviderSession.objects.exists()


@pytest.mark.parametrize("trouble", ["down", "invalid_client", "temporarily_unavailable", "nonsense"])
def test_a_session_outlives_an_hour_without_the_provider_and_no_more(
    company: Company, nora: Client, time_machine: TimeMachineFixture, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """It goes on when the provider is back: only a refusal ends it."""
    monkeypatch.setattr(provider, "_PAUSE", 0)
    company.status, company.refusal = (500, None) if trouble == "down" else (200, trouble)
    for _ in range(3):
        minutes_pass(time_machine, 16)
        assert is_signed_in(nora)
    minutes_pass(time_machine, 13)
    assert not is_signed_in(nora)
    company.status, company.refusal = 200, None
    minutes_pass(time_machine, 2)
    assert is_signed_in(nora)
    assert reasons() == []


def test_a_silent_provider_is_asked_once_a_minute_for_a_session(
    company: Company, nora: Client, time_machine: TimeMachineFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And holds its page for a moment only."""
    monkeypatch.setattr(provider, "_TIMEOUT", 0.3)
    company.is_slow = True
    minutes_pass(time_machine, 16)
    began = time.monotonic()
    assert all(is_signed_in(nora) for _ in range(5))
    assert time.monotonic() - began < 5
    assert company.asked.count("/token") == 2


def test_without_a_refresh_token_the_access_token_asks(
    company: Company, accountants: Group, client: Client, time_machine: TimeMachineFixture
) -> None:
    company.tokens = {}
    sign_in(company, client)
    minutes_pass(time_machine, 16)
    assert is_signed_in(client)
    assert company.asked[-1] == "/userinfo"
    company.userinfo = 401
    minutes_pass(time_machine, 16)
    assert not is_signed_in(client)
    assert reasons() == ["provider_refused"]


def test_a_session_that_cannot_be_checked_ends(
    company: Company, accountants: Group, client: Client, time_machine: TimeMachineFixture
) -> None:
    company.tokens, company.metadata = {}, {"userinfo_endpoint": None}
    sign_in(company, client)
    assert is_signed_in(client)
    minutes_pass(time_machine, 16)
    assert not is_signed_in(client)
    assert reasons() == ["not_checkable"]


def test_a_session_ends_with_the_provider_in_the_settings(nora: Client, settings: Any) -> None:
    settings.OPENID_PROVIDER = None
    assert not is_signed_in(nora)


def test_tokens_are_stored_encrypted(nora: Client, settings: Any) -> None:
    """A backup shows none. A new SECRET_KEY opens them only with the old one as a fallback."""
    row = ProviderSession.objects.get()
    assert "refresh" not in row.sealed
    assert "." not in row.sealed
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-key", [settings.SECRET_KEY]
    assert sessions._opened(row)["refresh_token"] == "first-refresh"
    settings.SECRET_KEY_FALLBACKS = []
    assert sessions._opened(row) == {}


def test_a_page_costs_one_query_more_than_that_of_a_local_user(nora: Client, django_assert_num_queries: Any) -> None:
    """And nothing is written."""
    nora.get("/admin/jsi18n/")
    with django_assert_num_queries(3):
        nora.get("/admin/jsi18n/")


def test_a_logout_at_the_provider_ends_the_session_at_once(company: Company, nora: Client, client: Client) -> None:
    """In every browser of the provider's session, and in no other."""
    other = Client()
    sign_in(company, other, sid="sid-2")
    answer = client.post(LOGOUT, {"logout_token": company.logout_token(sub=None)})
    assert (answer.status_code, answer["Cache-Control"]) == (
        200,
        "max-age=0, no-cache, no-store, must-revalidate, private",
    )
    assert not is_signed_in(nora)
    assert is_signed_in(other)
    assert client.post(LOGOUT, {"logout_token": company.logout_token(sid=None)}).status_code == 200
    assert not is_signed_in(other)
    assert reasons() == ["logout_at_the_provider"] * 2


def test_a_logout_of_nobody_is_fine(company: Company, nora: Client, client: Client) -> None:
    """The session may have ended here before."""
    assert client.post(LOGOUT, {"logout_token": company.logout_token(sid="unknown")}).status_code == 200
    assert client.post(LOGOUT, {"logout_token": company.logout_token(sub="unknown")}).status_code == 200
    assert is_signed_in(nora)


FORGED: dict[str, dict[str, Any]] = {
    "wrong issuer": {"iss": "https://other.example"},
    "wrong audience": {"aud": "another-client"},
    "no audience": {"aud": None},
    "no time": {"iat": None},
    "an old one": {"iat": int(time.time()) - 400},
    "of the future": {"iat": int(time.time()) + 86_400},
    "expired": {"exp": int(time.time()) - 60},
    "a text as time": {"iat": "now"},
    "no id": {"jti": None},
    "a number as id": {"jti": 7},
    "no event": {"events": None},
    "another event": {"events": {"http://schemas.example/other": {}}},
    "a list of events": {"events": [EVENT]},
    "a text as event": {"events": {EVENT: "yes"}},
    "a nonce": {"nonce": "n"},
    "neither session nor person": {"sid": None, "sub": None},
    "a list of sessions": {"sid": ["sid-1"]},
    "NUL in the person": {"sub": "81f2\0"},
    "a foreign key": {"key": private_key("RS256")},
    "HMAC": {"key": "x" * 64, "algorithm": "HS256"},
    "no signature": {"key": "", "algorithm": "none"},
}


@pytest.mark.parametrize("changed", FORGED.values(), ids=FORGED)
def test_a_forged_logout_token_ends_nothing(
    company: Company, nora: Client, client: Client, changed: dict[str, Any]
) -> None:
    answer = client.post(LOGOUT, {"logout_token": company.logout_token(**changed)})
    assert (answer.status_code, answer.json()) == (400, {"error": "invalid_request"})
    assert is_signed_in(nora)


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "." * 10_000, "x" * 70_000, "é", "\0", "[" * 5_000])
def test_what_is_no_token_is_refused_without_asking_the_provider_for_more(
    company: Company, nora: Client, client: Client, token: str
) -> None:
    assert client.post(LOGOUT, {"logout_token": token}).status_code == 400
    assert client.get(LOGOUT).status_code == 405
    assert is_signed_in(nora)
    assert sign_in(company, Client()).status_code == 302


def test_a_logout_token_is_used_once(company: Company, nora: Client, client: Client) -> None:
    """An old one does not end the session of a new sign-in."""
    token = company.logout_token()
    assert client.post(LOGOUT, {"logout_token": token}).status_code == 200
    sign_in(company, nora)
    assert client.post(LOGOUT, {"logout_token": token}).status_code == 400
    assert is_signed_in(nora)


def test_an_id_token_is_no_logout_token(company: Company, nora: Client, client: Client) -> None:
    token = company.sign(company.claims({}, jti="1"))
    assert client.post(LOGOUT, {"logout_token": token}).status_code == 400
    assert is_signed_in(nora)


def test_forged_tokens_do_not_make_the_service_flood_the_provider(
    company: Company, nora: Client, client: Client
) -> None:
    """Keys that nobody has are looked up at most once in ten seconds."""
    company.new_key("two")
    forged = company.logout_token(kid="two")
    company.keys.pop("two")
    before = len(company.asked)
    assert {client.post(LOGOUT, {"logout_token": forged}).status_code for _ in range(10)} == {400}
    assert len(company.asked) - before <= 2


def test_refused_logout_tokens_are_counted_by_address(
    company: Company, nora: Client, client: Client, settings: Any
) -> None:
    settings.THROTTLE_REFUSED = Rate(3, "hour")
    statuses = [client.post(LOGOUT, {"logout_token": "x"}).status_code for _ in range(5)]
    assert statuses[:3] == [400] * 3
    assert statuses[-1] == 429


def test_a_logout_during_an_outage_is_asked_for_again(company: Company, nora: Client, client: Client) -> None:
    token = company.logout_token()
    provider._client_of.cache_clear()
    company.status = 500
    assert client.post(LOGOUT, {"logout_token": token}).status_code == 503
    assert is_signed_in(nora)


def test_ended_sessions_are_cleaned_away(nora: Client, time_machine: TimeMachineFixture) -> None:
    minutes_pass(time_machine, 13 * 60)
    delete_expired_tokens()
    assert not ProviderSession.objects.exists()
    assert not Session.objects.exists()
