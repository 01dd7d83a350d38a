"""Errors of the OAuth2 endpoints are those of RFC 6749: a code, a sentence, and how to authenticate."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.dimensions_site.tokens.clients import FORM, access_token, ask, basic, planning_tool, service
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1", "B2"), pytest.mark.django_db]

BASIC = 'Basic realm="dimensions", charset="UTF-8"'
PATHS = ["token", "introspect", "revoke"]


def post(path: str, authorization: str | None = None, **parameters: str) -> Any:
    headers = {"authorization": authorization} if authorization else {}
    return Client().post(f"/auth/oauth2/{path}", urlencode(parameters), content_type=FORM, headers=headers)


def assert_is_error(answer: Any, status: int, error: str) -> str:
    """Check what holds for each error; return its sentence."""
    body = answer.json()
    assert (answer.status_code, body["error"], set(body)) == (status, error, {"error", "error_description"})
    assert re.fullmatch(r"[\x20-\x21\x23-\x5b\x5d-\x7e]{10,300}", body["error_description"])
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("application/json", "no-store")
    assert answer.headers.get("WWW-Authenticate") == (BASIC if status == 401 else None)
    return str(body["error_description"])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("authorization", [None, basic("unknown", "x"), "Basic !", "Bearer x", "Token x"])
def test_a_client_without_credentials_learns_to_use_basic(alice: Person, path: str, authorization: str | None) -> None:
    """The challenge has the scheme with which applications authenticate, not that of the tokens that they request."""
    answer = post(path, authorization, grant_type="client_credentials", token="x")
    sentence = assert_is_error(answer, 401, "invalid_client")
    assert sentence == "The application did not authenticate, is unknown, or its secret is wrong."


@pytest.mark.parametrize("path", PATHS)
def test_an_unknown_application_and_a_wrong_secret_look_the_same(alice: Person, path: str) -> None:
    """In a header and in the body."""
    application, _ = service(alice.user)
    answers = [
        ask(path, (application, "wrong"), grant_type="client_credentials", token="x"),
        post(path, basic("unknown", "x"), grant_type="client_credentials", token="x"),
        post(path, grant_type="client_credentials", token="x", client_id=application.client_id, client_secret="wrong"),
        post(path, grant_type="client_credentials", token="x", client_id="unknown", client_secret="wrong"),
    ]
    assert len({(answer.status_code, answer.content, answer["WWW-Authenticate"]) for answer in answers}) == 1


@pytest.mark.parametrize(
    ("parameters", "error", "word"),
    [
        ({"scope": "read"}, "invalid_request", "grant_type is missing"),
        ({"grant_type": "password", "username": "a", "password": "b"}, "unsupported_grant_type", "client_credentials"),
        ({"grant_type": "client_credentials", "scope": "everything"}, "invalid_scope", "read, propose, write, manage"),
        ({"grant_type": "refresh_token"}, "invalid_request", "The parameter refresh_token is missing."),
        ({"grant_type": "password"}, "unsupported_grant_type", "refresh_token; got 'password'."),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant", "refresh token"),
        ({"grant_type": "client_credentials", "resource": "x y"}, "invalid_target", "resource"),
        ({"grant_type": "client_credentials", "resource": "https://[::1"}, "invalid_target", "resource"),
        ({"grant_type": "client_credentials", "resource": "https://\u2100/"}, "invalid_target", "resource"),
        ({"grant_type": '\xe4"\\'}, "unsupported_grant_type", "got '???'."),
    ],
    ids=str,
)
def test_each_error_of_the_token_endpoint_has_a_sentence(
    alice: Person, parameters: dict[str, str], error: str, word: str
) -> None:
    """In the characters that the standard allows."""
    assert word in assert_is_error(ask("token", service(alice.user), **parameters), 400, error)


def test_errors_of_a_code_have_a_sentence(alice: Person) -> None:
    planning = planning_tool()
    for parameters, error in (
        ({"code": "x", "redirect_uri": "https://planning.example/callback"}, "invalid_grant"),
        ({}, "invalid_request"),
    ):
        assert_is_error(ask("token", planning, grant_type="authorization_code", **parameters), 400, error)
    refused = ask(
        "token", service(alice.user), grant_type="authorization_code", code="x", redirect_uri="https://x.example"
    )
    assert "may not use this grant" in assert_is_error(refused, 400, "unauthorized_client")


@pytest.mark.parametrize("path", ["introspect", "revoke"])
def test_a_missing_token_is_reported_in_a_sentence(alice: Person, path: str) -> None:
    assert "token" in assert_is_error(ask(path, service(alice.user), token=""), 400, "invalid_request")


@pytest.mark.parametrize("path", PATHS)
def test_names_of_parameters_cannot_break_the_sentence(alice: Person, path: str) -> None:
    """What the client sent is quoted in allowed characters only."""
    answer = Client().post(f"/auth/oauth2/{path}", "%C3%A4%22%0a=1&%C3%A4%22%0a=2", content_type=FORM)
    assert assert_is_error(answer, 400, "invalid_request") == "The parameter ??? must appear only once."


@pytest.mark.parametrize("path", PATHS)
def test_an_application_authenticates_once(alice: Person, path: str) -> None:
    """Not in the header and in the body, even if they are right, and never as two applications."""
    application, secret = service(alice.user)
    other, _ = service(alice.user, name="Other")
    header = basic(application.client_id, secret)
    needed = {"grant_type": "client_credentials", "token": access_token((application, secret))}
    for body in (
        {"client_id": application.client_id, "client_secret": secret},
        {"client_id": application.client_id, "client_secret": "wrong"},
        {"client_secret": ""},
        {"client_id": other.client_id},
    ):
        assert "use one of them" in assert_is_error(post(path, header, **needed, **body), 400, "invalid_request")
    # Some libraries repeat the id in the body.
    assert post(path, header, **needed, client_id=application.client_id).status_code == 200
