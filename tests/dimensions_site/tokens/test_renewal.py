"""A refresh token works for one renewal; using it twice ends its login."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from bulkops.worker.tasks import clean
from dimensions_site.tokens.jwt.tokens import REFRESH, new_claims, sign_token
from dimensions_site.tokens.models import UsedToken
from tests.dimensions_site.tokens.clients import renew, status_of, tokens_of
from tests.factories import Person

pytestmark = pytest.mark.contract("G1")


@pytest.mark.django_db
def test_a_refresh_token_gets_new_tokens_again_and_again(alice: Person) -> None:
    """Each renewal provides the token for the next one."""
    tokens = tokens_of("alice")
    for _ in range(3):
        answer = renew(tokens["refresh"])
        assert answer.status_code == 200
        assert answer.json()["refresh"] != tokens["refresh"]
        tokens = answer.json()
        assert status_of(tokens["access"]) == 200


@pytest.mark.django_db
def test_a_token_that_is_used_twice_ends_its_login(alice: Person) -> None:
    """One of the two clients has stolen it, and nobody can know which; other logins of the same person continue."""
    stolen, other = tokens_of("alice"), tokens_of("alice")
    good = renew(stolen["refresh"]).json()
    refused = renew(stolen["refresh"])
    assert refused.status_code == 401
    assert "used before" in refused.json()["detail"]
    assert renew(good["refresh"]).status_code == 401
    assert renew(other["refresh"]).status_code == 200


@pytest.mark.django_db
def test_a_changed_password_ends_all_tokens(alice: Person) -> None:
    """At once, also those with which new ones are obtained."""
    tokens = tokens_of("alice")
    alice.user.set_password("another-password")
    alice.user.save()
    assert status_of(tokens["access"]) == 401
    refused = renew(tokens["refresh"])
    assert refused.status_code == 401
    assert "password" in refused.json()["detail"]


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["deactivated", "deleted"])
def test_a_user_who_is_gone_has_no_tokens(alice: Person, end: str) -> None:
    """Neither old nor new ones."""
    tokens = tokens_of("alice")
    if end == "deleted":
        alice.user.delete()
    else:
        User.objects.update(is_active=False)
    assert status_of(tokens["access"]) == 401
    assert renew(tokens["refresh"]).status_code == 401


@pytest.mark.django_db
def test_each_kind_of_token_is_for_its_purpose(alice: Person) -> None:
    """A refresh token gives no access, and an access token renews nothing."""
    tokens = tokens_of("alice")
    assert status_of(tokens["refresh"]) == 401
    assert renew(tokens["access"]).status_code == 401
    assert renew("x").status_code == 401
    assert renew("x" * 100_000).status_code == 401


@pytest.mark.django_db
def test_an_expired_refresh_token_is_refused(alice: Person) -> None:
    refused = renew(sign_token(new_claims(REFRESH, alice.user, timedelta(seconds=-1))))
    assert (refused.status_code, refused.json()["detail"]) == (401, "The refresh token has expired.")


@pytest.mark.django_db
def test_used_tokens_are_purged_when_they_have_expired(alice: Person) -> None:
    """By the daily purge: nobody could use them any more. What is stored of them gives no access."""
    renew(tokens_of("alice")["refresh"])
    clean()
    [kept] = UsedToken.objects.values()
    assert set(kept) == {"jti", "expires_at"}
    UsedToken.objects.update(expires_at=timezone.now())
    clean()
    assert not UsedToken.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_use_one_token_at_once_one_gets_new_ones(alice: Person) -> None:
    """And the login has ended by that, for the one as well."""
    refresh = tokens_of("alice")["refresh"]

    def use(_: int) -> Any:
        try:
            return renew(refresh)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(use, range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]
    winner = next(answer for answer in answers if answer.status_code == 200)
    assert renew(winner.json()["refresh"]).status_code == 401
