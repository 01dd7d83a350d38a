"""Sessions of the administration end when nobody uses them, and some hours after the sign-in in any case."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

HOME = reverse("admin:index")


@pytest.fixture
def client() -> Client:
    """A superuser who has just signed in through the page."""
    User.objects.create_superuser("root", password="root-password")
    client = Client()
    answer = client.post(reverse("admin:login"), {"username": "root", "password": "root-password"})
    assert answer.status_code == 302
    return client


def minutes_left() -> float:
    """For how long the only session is valid."""
    return (Session.objects.get().expire_date - timezone.now()).total_seconds() / 60


def pass_minutes(minutes: float) -> None:
    """Let time pass for the only session: all its times become earlier."""
    row = Session.objects.get()
    data = SessionStore().decode(row.session_data)
    for name in ("session_began", "session_renewed"):
        data[name] -= minutes * 60
    moved = row.expire_date - timedelta(minutes=minutes)
    data["_session_expiry"] = moved.isoformat()
    row.session_data, row.expire_date = SessionStore().encode(data), moved
    row.save()


def test_a_session_is_good_for_an_hour_without_use(client: Client) -> None:
    """So is the cookie; the settings say how long."""
    assert 59 < minutes_left() <= 60
    assert 3_500 < client.cookies["sessionid"]["max-age"] <= 3_600
    pass_minutes(54)
    assert client.get(HOME).status_code == 200
    pass_minutes(61)
    assert client.get(HOME).status_code == 302
    assert client.get(HOME)["Location"].startswith(reverse("admin:login"))


def test_who_goes_on_working_stays_signed_in_until_twelve_hours_after_the_sign_in(client: Client) -> None:
    """However active; after signing in again, another twelve hours begin."""
    for _ in range(14):
        pass_minutes(50)
        assert client.get(HOME).status_code == 200
    assert 19 < minutes_left() <= 20
    pass_minutes(19)
    assert client.get(HOME).status_code == 200
    pass_minutes(2)
    assert client.get(HOME).status_code == 302
    Session.objects.all().delete()
    client.post(reverse("admin:login"), {"username": "root", "password": "root-password"})
    assert 59 < minutes_left() <= 60


def test_a_page_writes_the_session_every_five_minutes_at_most(client: Client, django_assert_num_queries: Any) -> None:
    """A page costs no write; the cookie comes with the write."""
    client.get(HOME)
    for minutes, is_written in ((0, False), (4.5, False), (0.6, True), (0, False)):
        pass_minutes(minutes)
        before = Session.objects.get().expire_date
        answer = client.get(HOME)
        assert (Session.objects.get().expire_date != before) is is_written
        assert ("sessionid" in answer.cookies) is is_written


def test_what_else_is_kept_in_the_session_does_not_prolong_it(client: Client) -> None:
    """A page may store something there at each request."""
    pass_minutes(3)
    before = minutes_left()
    session = client.session
    session["something"] = 1
    session.save()
    assert minutes_left() <= before


@pytest.mark.parametrize(("idle", "hours", "left"), [(10, 8, 10), (240, 1, 60), (1, 1, 1)])
def test_both_limits_are_settings(settings: Any, idle: int, hours: int, left: int) -> None:
    settings.SESSION_IDLE_MINUTES, settings.SESSION_HOURS = idle, hours
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    assert left - 1 < minutes_left() <= left


def test_public_pages_do_not_look_at_the_session(client: Client) -> None:
    """They are the same for everybody, and caches may keep them as before."""
    pass_minutes(30)
    before = Session.objects.get().expire_date
    assert "Cookie" not in client.get(reverse("landing")).get("Vary", "")
    assert Session.objects.get().expire_date == before
