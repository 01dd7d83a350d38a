"""User name and password are answered with JSON Web Tokens."""

import json
from unittest.mock import patch

import jwt
import pytest
from django.conf import settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.test import Client

from tests.dimensions_site.tokens.clients import log_in, post_json, tokens_of, with_token
from tests.factories import Person, currency

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


def test_a_login_answers_two_tokens_and_the_first_opens_what_its_user_may(alice: Person) -> None:
    """No cache may store the response, and it has no cookie."""
    answer = log_in("alice", "alice-password")
    assert answer.status_code == 200
    assert set(answer.json()) == {"access", "refresh"}
    assert answer["Cache-Control"] == "no-store"
    assert not answer.cookies
    program = with_token(answer.json()["access"])
    assert program.send("POST", program.currency(), currency()).status_code == 201
    assert program.get(program.currency("elements/EUR")).json()["updateInfo"]["user"] == "alice"


@pytest.mark.parametrize(
    ("username", "password"), [("alice", "wrong"), ("nobody", "alice-password"), ("rita", "rita-password")]
)
def test_nobody_learns_which_of_the_two_is_wrong(alice: Person, rita: Person, username: str, password: str) -> None:
    """A wrong password, an unknown name and a user who is not active get the same words."""
    User.objects.filter(username="rita").update(is_active=False)
    answer = log_in(username, password)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (401, "AUTHENTICATION_FAILED")
    assert problem["detail"] == "The user name or the password is wrong, or the user is not active."
    assert 'Bearer realm="dimensions"' in answer["WWW-Authenticate"]


@pytest.mark.parametrize("username", ["alice", "nobody", "rita"])
def test_every_refusal_takes_the_time_of_one_hash(alice: Person, rita: Person, username: str) -> None:
    """Otherwise response times would reveal the names."""
    User.objects.filter(username="rita").update(is_active=False)
    with patch.object(MD5PasswordHasher, "encode", autospec=True, side_effect=MD5PasswordHasher.encode) as encode:
        assert log_in(username, "wrong").status_code == 401
    assert encode.call_count == 1


@pytest.mark.contract("B1", "B3", "C5")
@pytest.mark.parametrize(
    ("path", "body", "paths"),
    [
        ("token", {}, {"username", "password"}),
        ("token", {"username": "alice"}, {"password"}),
        ("token", {"username": "alice", "password": 1, "remember": True}, {"password", "remember"}),
        ("token", {"username": ["alice"], "password": None}, {"username", "password"}),
        ("token", {"username": "", "password": ""}, {"username", "password"}),
        ("token", [], {""}),
        ("token", "alice", {""}),
        ("refresh", {}, {"refresh"}),
        ("refresh", {"refresh": {}, "access": "x"}, {"refresh", "access"}),
        ("refresh", None, {""}),
    ],
)
def test_an_unclear_body_is_refused_with_every_error(path: str, body: object, paths: set[str]) -> None:
    answer = post_json(f"/auth/jwt/{path}", body)
    assert answer.status_code == 400
    assert {error["path"] for error in answer.json()["errors"]} == paths


@pytest.mark.contract("A4", "A7")
@pytest.mark.parametrize("path", ["/auth/jwt/token", "/auth/jwt/refresh"])
def test_the_addresses_keep_the_conventions(alice: Person, path: str) -> None:
    """POST alone, no parameters, no other spelling."""
    for method in ("GET", "HEAD", "PUT", "DELETE"):
        answer = alice.send(method, path)
        assert (answer.status_code, answer["Allow"]) == (405, "POST, OPTIONS")
    assert Client().options(path).status_code == 200
    assert post_json(f"{path}?username=alice", {}).json()["code"] == "UNKNOWN_PARAMETER"
    assert post_json(f"{path}/", {}).status_code == 404


def test_the_credentials_of_a_login_stand_in_its_body_alone(alice: Person) -> None:
    """The header is ignored: a program with an old token can log in again."""
    answer = with_token("old.and.wrong").send(
        "POST", "/auth/jwt/token", {"username": "alice", "password": "alice-password"}
    )
    assert answer.status_code == 200


def claims(token: str) -> dict[str, object]:
    read: dict[str, object] = jwt.decode(token, options={"verify_signature": False})
    return read


def test_the_lifetimes_are_those_of_the_settings(alice: Person) -> None:
    """In minutes and in days."""
    tokens = tokens_of("alice")
    for name, seconds in (
        ("access", settings.ACCESS_TOKEN_MINUTES * 60),
        ("refresh", settings.REFRESH_TOKEN_DAYS * 24 * 3600),
    ):
        payload = claims(tokens[name])
        assert int(str(payload["exp"])) - int(str(payload["iat"])) == seconds


def test_a_token_reveals_nothing_of_its_user_but_a_number(alice: Person) -> None:
    """Whoever reads it in a log learns neither a name nor a right."""
    text = json.dumps(claims(tokens_of("alice")["access"]))
    assert "alice" not in text
