"""A renewal may ask for a part of what was granted; the refresh token keeps all of it (RFC 6749, 6)."""

from typing import Any

import pytest

from dimensions_site.tokens.models import FirstScope
from tests.dimensions_site.tokens.clients import with_token
from tests.dimensions_site.tokens.consenting import allowed, renewed, signed_in
from tests.factories import Person, currency

pytestmark = [pytest.mark.contract("G1", "G2"), pytest.mark.django_db]


def scope_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    scope: str = answer.json()["scope"]
    return scope


@pytest.mark.parametrize(
    ("granted", "asked"),
    [("write", "read"), ("manage", "write"), ("manage", "read write"), ("read write", "write"), ("read", "read")],
)
def test_a_renewal_gets_the_part_that_it_asks_for(alice: Person, granted: str, asked: str) -> None:
    """`write` includes `read`, and `manage` both."""
    client, tokens = allowed(signed_in(alice.user), granted)
    assert scope_of(renewed(client, tokens["refresh_token"], scope=asked)) == asked


def test_a_narrower_token_opens_no_more_than_it_says(alice: Person) -> None:
    """Alice may write, and so may the program."""
    client, tokens = allowed(signed_in(alice.user), "write")
    program = with_token(renewed(client, tokens["refresh_token"], scope="read").json()["access_token"])
    assert program.get(program.currency("elements-count")).status_code == 200
    assert program.send("POST", program.currency(), currency()).json()["code"] == "CREDENTIAL_TOO_NARROW"


def test_the_refresh_token_keeps_what_was_granted_at_first(alice: Person) -> None:
    """However often it was narrowed: without a scope a renewal gets all of it again."""
    client, tokens = allowed(signed_in(alice.user), "write")
    for asked, scope in (("read", "read"), ("read", "read"), ("write", "write"), ("read", "read"), (None, "write")):
        answer = renewed(client, tokens["refresh_token"], **({"scope": asked} if asked else {}))
        assert scope_of(answer) == scope
        tokens = answer.json()
    assert scope_of(renewed(client, tokens["refresh_token"])) == "write"


@pytest.mark.parametrize("asked", ["write", "manage", "read manage", "openid", "read openid", "READ"])
def test_no_renewal_gets_more_than_was_granted(alice: Person, asked: str) -> None:
    """Also after a narrower one. The refresh token is still valid."""
    client, tokens = allowed(signed_in(alice.user), "read")
    refused = renewed(client, tokens["refresh_token"], scope=asked)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_scope")
    tokens = renewed(client, tokens["refresh_token"], scope="read").json()
    assert renewed(client, tokens["refresh_token"], scope=asked).json()["error"] == "invalid_scope"
    assert scope_of(renewed(client, tokens["refresh_token"])) == "read"


def test_what_is_kept_of_a_scope_goes_with_its_refresh_token(alice: Person) -> None:
    """And exists only for those that have been narrowed."""
    client, tokens = allowed(signed_in(alice.user), "write")
    tokens = renewed(client, tokens["refresh_token"]).json()
    assert not FirstScope.objects.exists()
    renewed(client, tokens["refresh_token"], scope="read")
    assert [kept.scope for kept in FirstScope.objects.all()] == ["write"]
    client[0].delete()
    assert not FirstScope.objects.exists()
