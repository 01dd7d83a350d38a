"""Attempts at the token endpoints are limited too, before a hash is computed."""

from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache

from dimensions_site.environment import Rate
from tests.dimensions_site.tokens.clients import ask, log_in, renew, service, tokens_of, with_token
from tests.factories import Person

pytestmark = [pytest.mark.contract("A6", "G1"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


def test_wrong_secrets_of_programs_are_counted(alice: Person, settings: Any) -> None:
    """Beyond the rate the right one is not checked either. Programs get the error in OAuth2's form."""
    settings.THROTTLE_REFUSED = Rate(3, "day")
    application, secret = service(alice.user)
    answers = [ask("token", (application, "wrong"), grant_type="client_credentials") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 401]
    with patch.object(MD5PasswordHasher, "verify", side_effect=AssertionError("a hash was computed")):
        for path in ("token", "introspect", "revoke"):
            refused = ask(path, (application, secret), grant_type="client_credentials", token="x")
            assert (refused.status_code, refused.json()["error"]) == (429, "temporarily_unavailable")
            assert refused.json()["error_description"].startswith("Credentials from your address were refused 3 times")
            assert int(refused["Retry-After"]) > 0


def test_wrong_refresh_tokens_and_wrong_bearer_tokens_are_counted(alice: Person, settings: Any) -> None:
    """All together; valid tokens keep working."""
    settings.THROTTLE_REFUSED = Rate(2, "day")
    tokens = tokens_of("alice")
    program = with_token("wrong")
    assert renew("wrong").status_code == 401
    assert program.get(program.currency("elements-count")).status_code == 401
    assert renew("wrong").status_code == 429
    assert program.get(program.currency("elements-count")).status_code == 429
    good = with_token(tokens["access"])
    assert good.get(good.currency("elements-count")).status_code == 200


def test_wrong_passwords_lock_the_name_out(alice: Person, settings: Any) -> None:
    """As with Basic, together with it; a right one resets the count."""
    settings.LOGIN_ATTEMPTS = 3
    passwords = ["wrong", "wrong", "alice-password", "wrong", "wrong", "wrong", "alice-password"]
    statuses = [log_in("alice", password).status_code for password in passwords]
    assert statuses == [401, 401, 200, 401, 401, 429, 429]
    locked = log_in("alice", "alice-password")
    assert (locked.json()["code"], int(locked["Retry-After"]) > 0) == ("LOGIN_LOCKED", True)
