"""Refresh tokens of programs with consent: each works once, and ends with what it stands for."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken

from dimensions_site.tokens.oauth2.server import Validator
from tests.dimensions_site.tokens.clients import ask, planning_tool, status_of
from tests.dimensions_site.tokens.consenting import allowed, renewed

pytestmark = pytest.mark.contract("G1")


@pytest.fixture
def held(alices_browser: Client) -> tuple[tuple[Any, str], dict[str, str]]:
    """A program and the tokens that Alice gave it."""
    return allowed(alices_browser)


@pytest.mark.django_db
def test_a_refresh_token_gets_new_tokens_and_ends_the_old_ones(held: Any) -> None:
    client, tokens = held
    for _ in range(2):
        answer = renewed(client, tokens["refresh_token"])
        assert answer.status_code == 200
        assert status_of(tokens["access_token"]) == 401
        tokens = answer.json()
        assert (tokens["scope"], status_of(tokens["access_token"])) == ("write", 200)


@pytest.mark.django_db
def test_a_refresh_token_that_is_used_twice_ends_all_that_came_of_it(held: Any) -> None:
    """One of the two clients has stolen it."""
    client, tokens = held
    good = renewed(client, tokens["refresh_token"]).json()
    assert renewed(client, tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert status_of(good["access_token"]) == 401
    assert renewed(client, good["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.django_db
def test_a_renewal_does_not_widen_the_scope(held: Any) -> None:
    client, tokens = held
    assert renewed(client, tokens["refresh_token"], scope="manage").json()["error"] == "invalid_scope"
    assert renewed(planning_tool(name="Other"), tokens["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "end", ["user not active", "application deleted", "revoked", "access token revoked", "too old"]
)
def test_a_refresh_token_ends_with_what_it_stands_for(held: Any, end: str) -> None:
    client, tokens = held
    if end == "user not active":
        User.objects.update(is_active=False)
        assert status_of(tokens["access_token"]) == 401
    elif end == "application deleted":
        client[0].delete()
    elif end == "too old":
        AccessToken.objects.update(expires=timezone.now() - timedelta(days=15))
    else:
        assert (
            ask("revoke", client, token=tokens["refresh_token" if end == "revoked" else "access_token"]).status_code
            == 200
        )
        assert status_of(tokens["access_token"]) == 401
    assert renewed(client, tokens["refresh_token"]).status_code in (400, 401)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_renew_at_once_one_at_most_gets_new_tokens(held: Any) -> None:
    """None gets a failure, or empty tokens; a second use ends them, perhaps too early for the first."""
    client, tokens = held

    def use(_: int) -> Any:
        try:
            return renewed(client, tokens["refresh_token"])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(use, range(4)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses in ([200, 400, 400, 400], [400, 400, 400, 400])
    assert all(answer.json()["error"] == "invalid_grant" for answer in answers if answer.status_code == 400)


@pytest.mark.django_db
def test_tokens_that_are_ended_before_they_are_answered_are_refused(held: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody has used the refresh token again at this moment: the response is not a failure of the service."""
    issue = Validator.save_bearer_token

    def issue_and_end(*given: Any) -> None:
        issue(*given)
        assert renewed(client, tokens["refresh_token"]).json()["error"] == "invalid_grant"

    client, tokens = held
    monkeypatch.setattr(Validator, "save_bearer_token", issue_and_end)
    answer = renewed(client, tokens["refresh_token"])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
