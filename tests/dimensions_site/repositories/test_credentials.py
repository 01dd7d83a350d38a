"""Authentication by an API key or a password, end to end."""

import base64
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dimensions_site.repositories.models import ApiKey
from tests.factories import currency

pytestmark = pytest.mark.contract("G1")


@pytest.fixture
def knock(alice):
    """Call a route that alice may read, with these headers only; return status and reason."""

    def call(**headers):
        response = Client(headers={name.replace("_", "-"): value for name, value in headers.items()}).get(
            alice.currency("elements-count")
        )
        return (
            response.status_code if response.status_code == 200 else (response.status_code, response.json()["detail"])
        )

    return call


def basic(text):
    return f"Basic {base64.b64encode(text.encode()).decode()}"


def new_key(user, **fields):
    return ApiKey.objects.create_key(user=user, name="test", **fields)


def test_a_key_is_taken_from_either_header(alice, knock):
    """`X-API-Key` and `Authorization`, whose scheme has no case."""
    _, key = new_key(alice.user)
    assert knock(X_API_Key=key) == 200
    assert knock(Authorization=f"Api-Key {key}") == 200
    assert knock(Authorization=f"api-key   {key} ") == 200


def test_a_key_that_is_not_valid_any_more_says_why(alice, knock):
    """Revoked, expired, of a user who is not active."""
    stored, revoked = new_key(alice.user)
    stored.revoked = True
    stored.save()
    assert knock(X_API_Key=revoked) == (401, "The API key is unknown or revoked.")
    _, expired = new_key(alice.user, expiry_date=timezone.now() - timedelta(seconds=1))
    assert knock(X_API_Key=expired) == (401, "The API key has expired.")
    _, valid = new_key(alice.user, expiry_date=timezone.now() + timedelta(days=1))
    assert knock(X_API_Key=valid) == 200
    User.objects.filter(username="alice").update(is_active=False)
    assert knock(X_API_Key=valid) == (401, "The user of this API key is not active.")


def test_an_unknown_key_is_distinguished_from_one_that_was_valid(alice, knock):
    """By its form; for a key of the right form, nothing reveals whether it ever existed."""
    assert knock(X_API_Key="secret") == (401, "This is not an API key of this service.")
    assert knock(X_API_Key=f"{'a' * 8}.{'b' * 32}") == (401, "The API key is unknown or revoked.")
    _, key = new_key(alice.user)
    assert knock(X_API_Key=f"{key[:9]}{'b' * 32}") == (401, "The API key is unknown or revoked.")


def test_a_user_without_access_learns_what_is_missing(alice, bob):
    """In a message that names the repository."""
    refused = bob.get(bob.currency("elements-count"))
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "You have no grant for the currency dimension of repository 'northwind'.",
    )
    unknown = bob.get(bob.currency("elements-count", db_id="northwynd"))
    assert (unknown.status_code, unknown.json()["detail"]) == (404, "There is no repository 'northwynd'.")


@pytest.mark.parametrize(
    "mangle",
    [
        lambda key: key[:-1] + ("a" if key[-1] != "a" else "b"),
        lambda key: "aaaaaaaa" + key[8:],
        lambda key: key[:8],
        lambda key: key + "a",
        lambda key: key.replace(".", ""),
        lambda key: key.swapcase(),
        lambda key: f"'{key}'",
        lambda key: "",
        lambda key: "ä" * 41,
    ],
    ids=["last letter", "prefix", "half", "too long", "no dot", "case", "quoted", "empty", "other letters"],
)
def test_anything_but_the_whole_key_is_refused(alice, knock, mangle):
    """401, in both headers."""
    _, key = new_key(alice.user)
    assert knock(X_API_Key=mangle(key))[0] == 401
    assert knock(Authorization=f"Api-Key {mangle(key)}")[0] == 401


def test_only_the_hash_of_a_key_is_stored(alice):
    """No column holds the part after the dot."""
    stored, key = new_key(alice.user)
    columns = [str(value) for value in ApiKey.objects.filter(pk=stored.pk).values_list()[0]]
    assert not [column for column in columns if key.split(".")[1] in column]


@pytest.mark.contract("C12")
def test_who_changed_an_element_is_the_user_of_the_credentials(alice):
    """By key or by password."""
    by_key = alice.send("POST", alice.currency(), currency("A"))
    browser = Client(headers={"Authorization": basic("alice:alice-password")})
    by_password = browser.post(alice.currency(), currency("B"), content_type="application/json")
    assert [response.json()["updateInfo"]["user"] for response in (by_key, by_password)] == ["alice", "alice"]
