"""The login page of the administration says why a sign-in failed, and does not help an attacker."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

WORD = "a-long-Word-42"
WRONG = "The user name or the password is wrong. Both are case-sensitive."
NO_ACCESS = "You have no access to the administration. Ask your administrator for it."


@pytest.fixture(autouse=True)
def person() -> User:
    """A user who only calls the REST API."""
    return User.objects.create_user("person", password=WORD)


def sign_in(name: str, word: str, language: str = "en") -> Any:
    form = {"username": name, "password": word}
    return Client().post(reverse("admin:login"), form, headers={"Accept-Language": language})


def words(answer: Any) -> list[str]:
    return [str(error) for error in answer.context["form"].non_field_errors()]


def test_the_right_password_without_access_gets_a_message_of_its_own():
    """The user is not signed in; the name stays in its field."""
    answer = sign_in("person", WORD)
    assert words(answer) == [NO_ACCESS]
    assert "_auth_user_id" not in answer.client.session
    assert 'value="person"' in answer.content.decode()


def test_a_guesser_reads_the_same_whoever_they_try(person):
    """A user with and without access, one who is locked out, and a name that nobody has."""
    User.objects.create_user("nina", password=WORD, is_staff=True)
    User.objects.create_user("gone", password=WORD, is_staff=True, is_active=False)
    tries = [("person", "wrong"), ("nina", "wrong"), ("gone", "wrong"), ("gone", WORD), ("nobody", "wrong")]
    assert [words(sign_in(name, word)) for name, word in tries] == [[WRONG]] * len(tries)


def test_the_right_password_during_a_lockout_is_refused_like_a_wrong_one(settings):
    """Otherwise guessing could go on."""
    settings.LOGIN_ATTEMPTS = 2
    for _ in range(2):
        sign_in("person", "wrong")
    assert "too many wrong passwords" in words(sign_in("person", WORD))[0]
