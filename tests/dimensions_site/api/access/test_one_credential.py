"""A request carries at most one credential, and of a scheme that the service uses."""

import base64
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from tests.dimensions_site.tokens.clients import access_token, service
from tests.factories import Person

pytestmark = [pytest.mark.contract("A6", "G1"), pytest.mark.django_db]

PLACE = "/api/aih/dimensions/v1/northwind/currency/elements"


def basic(credentials: str) -> str:
    return "Basic " + base64.b64encode(credentials.encode()).decode()


@pytest.fixture
def good(alice: Person) -> dict[str, dict[str, str]]:
    """A right credential of each kind, as the headers that carry it."""
    cache.clear()
    key = alice.defaults["HTTP_X_API_KEY"]
    body = {"username": "alice", "password": "alice-password"}
    pair = Client().post("/auth/jwt/token", body, content_type="application/json").json()
    return {
        "basic": {"Authorization": basic("alice:alice-password")},
        "api-key": {"Authorization": f"Api-Key {key}"},
        "x-api-key": {"X-API-Key": key},
        "jwt": {"Authorization": f"Bearer {pair['access']}"},
        "oauth2": {"Authorization": f"Bearer {access_token(service(alice.user))}"},
    }


BAD = {
    "basic": {"Authorization": basic("alice:wrong")},
    "api-key": {"Authorization": "Api-Key x"},
    "x-api-key": {"X-API-Key": "x"},
    "jwt": {"Authorization": "Bearer a.b.c"},
    "oauth2": {"Authorization": "Bearer x"},
}
OTHERS = ["basic", "api-key", "jwt", "oauth2"]


@pytest.mark.parametrize("kind", [*OTHERS, "x-api-key"])
def test_one_right_credential_is_enough(good: Any, kind: str) -> None:
    assert Client(headers=good[kind]).get(PLACE).status_code == 200
    assert Client(headers=BAD[kind]).get(PLACE).status_code == 401


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("key", ["right", "wrong"])
@pytest.mark.parametrize("other", ["right", "wrong"])
def test_two_credentials_are_refused_whether_they_are_right_or_not(good: Any, kind: str, key: str, other: str) -> None:
    """401, before either is checked: it is unclear which of two users is meant."""
    headers = {**(good if key == "right" else BAD)["x-api-key"], **(good if other == "right" else BAD)[kind]}
    answer = Client(headers=headers).get(PLACE)
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTHENTICATION_FAILED")
    assert answer.json()["detail"] == (
        "The request has two credentials, one in Authorization and one in X-API-Key; send only one."
    )
    assert answer["WWW-Authenticate"].startswith("Basic ")


def test_two_credentials_in_one_header_are_refused(good: Any) -> None:
    """As the web server joins a header that comes twice."""
    header = f"{good['jwt']['Authorization']},{good['basic']['Authorization']}"
    assert Client(headers={"Authorization": header}).get(PLACE).status_code == 401


def test_an_empty_header_is_not_a_credential(good: Any) -> None:
    """Some gateways keep the name of a header whose value they remove."""
    for kind in good:
        empty = "Authorization" if kind == "x-api-key" else "X-API-Key"
        assert Client(headers={**good[kind], empty: ""}).get(PLACE).status_code == 200


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("Token x", "Unsupported scheme 'Token'; use Basic, Api-Key or Bearer."),
        ("Digest username=x", "Unsupported scheme 'Digest'; use Basic, Api-Key or Bearer."),
        ("Basically x", "Unsupported scheme 'Basically'; use Basic, Api-Key or Bearer."),
        (
            "eyJhbGciOiJIUzI1NiJ9",
            "The header Authorization does not begin with a scheme; use Basic, Api-Key or Bearer.",
        ),
        ("Token", "The header Authorization does not begin with a scheme; use Basic, Api-Key or Bearer."),
        ("a" * 40 + " x", "The header Authorization does not begin with a scheme; use Basic, Api-Key or Bearer."),
        ("\xe9 x", "The header Authorization does not begin with a scheme; use Basic, Api-Key or Bearer."),
    ],
)
def test_a_scheme_that_is_not_used_is_named_with_those_that_are(header: str, sentence: str) -> None:
    """What may be the secret itself is not quoted."""
    answer = Client(headers={"Authorization": header}).get(PLACE)
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTHENTICATION_FAILED")
    assert answer.json()["detail"] == sentence
