"""JSON Web Tokens name their key, and those of an earlier SECRET_KEY are valid while it is a fallback."""

from typing import Any

import jwt
import pytest

from dimensions_site.environment import secrets
from dimensions_site.tokens.configuration import signing_keys
from tests.dimensions_site.tokens.clients import log_in, renew, with_token
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

OLD, NEW, OTHER = "old" * 20, "new" * 20, "other" * 20


def rotate(settings: Any, secret: str, *fallbacks: str) -> None:
    settings.JWT_SIGNING_KEYS = signing_keys(secret, fallbacks)


def status(token: str) -> int:
    program = with_token(token)
    return int(program.get(program.currency("elements-count")).status_code)


def pair(settings: Any, secret: str) -> dict[str, str]:
    """An access and a refresh token that were issued under that key."""
    rotate(settings, secret)
    tokens: dict[str, str] = log_in("alice", "alice-password").json()
    return tokens


def without_kid(token: str, secret: str) -> str:
    """Return the same token, signed by the same key, without the name of the key."""
    (key,) = signing_keys(secret, []).values()
    claims = jwt.decode(token, options={"verify_signature": False})
    return jwt.encode(claims, key, algorithm="HS256")


def test_a_token_names_the_key_that_signed_it(alice: Person, settings: Any) -> None:
    """By a name that reveals nothing of the key; both tokens do."""
    issued = pair(settings, OLD)
    ((kid, key),) = signing_keys(OLD, []).items()
    assert {jwt.get_unverified_header(token)["kid"] for token in issued.values()} == {kid}
    assert len(kid) == 16
    assert kid not in key


def test_tokens_live_on_while_their_key_is_a_fallback_and_end_with_it(alice: Person, settings: Any) -> None:
    issued, unused = pair(settings, OLD), pair(settings, OLD)
    rotate(settings, NEW, OTHER, OLD)
    assert status(issued["access"]) == 200
    renewed = renew(issued["refresh"]).json()
    assert {jwt.get_unverified_header(token)["kid"] for token in renewed.values()} == set(signing_keys(NEW, []))
    rotate(settings, NEW)
    assert (status(issued["access"]), renew(unused["refresh"]).status_code) == (401, 401)
    assert (status(renewed["access"]), renew(renewed["refresh"]).status_code) == (200, 200)


def test_a_token_that_names_no_key_is_refused(alice: Person, settings: Any) -> None:
    """Every token of this service names one."""
    issued = pair(settings, OLD)
    assert status(without_kid(issued["access"], OLD)) == 401
    assert renew(without_kid(issued["refresh"], OLD)).status_code == 401


def test_a_token_under_the_name_of_another_key_is_refused(alice: Person, settings: Any) -> None:
    """Its signature must be of the key that it names, though another known one has made it."""
    issued = pair(settings, OLD)
    (old_key,), (new_kid,) = signing_keys(OLD, []).values(), signing_keys(NEW, [])
    rotate(settings, NEW, OLD)
    claims = jwt.decode(issued["access"], options={"verify_signature": False})
    for kid in (new_kid, "unknown", ""):
        assert status(jwt.encode(claims, old_key, algorithm="HS256", headers={"kid": kid})) == 401


def test_an_expired_token_of_a_fallback_is_reported_as_expired(alice: Person, settings: Any) -> None:
    issued = pair(settings, OLD)
    rotate(settings, NEW, OLD)
    ((kid, key),) = signing_keys(OLD, []).items()
    claims = {**jwt.decode(issued["access"], options={"verify_signature": False}), "exp": 1}
    program = with_token(jwt.encode(claims, key, algorithm="HS256", headers={"kid": kid}))
    assert program.get(program.currency()).json()["detail"] == "The access token has expired."


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ("", []),
        (" , ,", []),
        ("one", ["one"]),
        ("one, two", ["one", "two"]),
        ("one\n two \n\n", ["one", "two"]),
        ("with,comma\n", ["with,comma"]),
    ],
)
def test_fallbacks_stand_on_lines_or_between_commas(
    monkeypatch: pytest.MonkeyPatch, value: str, keys: list[str]
) -> None:
    """A key with a comma in it needs separate lines."""
    monkeypatch.setenv("SECRET_KEY_FALLBACKS", value)
    assert secrets("SECRET_KEY_FALLBACKS") == keys
