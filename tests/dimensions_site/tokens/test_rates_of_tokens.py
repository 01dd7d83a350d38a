"""Getting tokens is a call like any other: a right login has a rate too, and beyond it costs no hash."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache
from oauth2_provider.models import AccessToken

from dimensions_site.environment import Rate
from tests.dimensions_site.observability.lines import line
from tests.dimensions_site.tokens.clients import ask, basic, log_in, post_json, renew, service, tokens_of, with_token
from tests.dimensions_site.tokens.consenting import (
    allowed,
    answer_page,
    question,
    redeem,
    redirect_parameters,
    renewed,
    signed_in,
)
from tests.factories import Person

pytestmark = [pytest.mark.contract("A6", "G1"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@contextmanager
def no_hash() -> Iterator[None]:
    """Within the block no password and no secret is checked."""
    with patch.object(MD5PasswordHasher, "verify", side_effect=AssertionError("a hash was computed")):
        yield


def statuses(*answers: Any) -> list[int]:
    return [answer.status_code for answer in answers]


def test_logins_beyond_the_rate_are_refused_before_a_hash_is_computed(alice: Person, settings: Any) -> None:
    """A problem document with the seconds to wait, as for any call."""
    settings.THROTTLE_CALLS = Rate(2, "day")
    assert statuses(log_in("alice", "alice-password"), log_in("alice", "alice-password")) == [200, 200]
    with no_hash():
        refused = log_in("alice", "alice-password")
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert refused.json()["code"] == "TOO_MANY_CALLS"
    assert refused.json()["detail"].startswith("You have made 2 calls within this day, which is the limit")
    assert int(refused["Retry-After"]) > 0


def test_logins_and_calls_of_a_user_count_together(alice: Person, settings: Any) -> None:
    """Whichever come first, and whatever credentials they are made with."""
    settings.THROTTLE_CALLS = Rate(3, "day")
    program = with_token(tokens_of("alice")["access"])
    assert statuses(program.get(program.currency()), alice.get(alice.currency())) == [200, 200]
    assert statuses(log_in("alice", "alice-password"), program.get(program.currency())) == [429, 429]


def test_wrong_passwords_are_not_calls(alice: Person, settings: Any) -> None:
    """Nobody uses up the calls of another user."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    assert statuses(*(log_in("alice", "wrong") for _ in range(3))) == [401] * 3
    assert log_in("alice", "alice-password").status_code == 200


def test_nobody_learns_by_the_rate_which_names_there_are(alice: Person, settings: Any) -> None:
    """A wrong password is 401 at another address, also when the user has used up their calls."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    assert statuses(log_in("alice", "alice-password"), log_in("alice", "alice-password")) == [200, 429]
    elsewhere = Person(REMOTE_ADDR="192.0.2.7")
    body = {"username": "alice", "password": "wrong"}
    assert elsewhere.send("POST", "/auth/jwt/token", body).status_code == 401
    assert elsewhere.send("POST", "/auth/jwt/token", body | {"password": "alice-password"}).status_code == 429


def test_a_name_of_any_characters_can_be_counted(alice: Person, settings: Any) -> None:
    """Caches accept no spaces and no long keys."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    for name in ("a b", "z\u00f6e\n", "x" * 5_000):
        assert post_json("/auth/jwt/token", {"username": name, "password": "wrong"}).status_code == 401


def test_a_renewal_beyond_the_rate_does_not_use_up_its_token(alice: Person, settings: Any) -> None:
    """It works when the period is over; and the login has not ended."""
    tokens = tokens_of("alice")
    settings.THROTTLE_CALLS = Rate(1, "day")
    tokens = renew(tokens["refresh"]).json()
    refused = renew(tokens["refresh"])
    assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_CALLS")
    assert int(refused["Retry-After"]) > 0
    settings.THROTTLE_CALLS = None
    assert renew(tokens["refresh"]).status_code == 200


def ask_for_itself(alice: Person) -> Callable[[], Any]:
    warehouse = service(alice.user)
    return lambda: ask("token", warehouse, grant_type="client_credentials")


def renew_a_consent(alice: Person) -> Callable[[], Any]:
    client, tokens = allowed(signed_in(alice.user))
    held = [tokens["refresh_token"]]

    def renewal() -> Any:
        answer = renewed(client, held[-1])
        if answer.status_code == 200:
            held.append(answer.json()["refresh_token"])
        return answer

    return renewal


def redeem_codes(alice: Person) -> Callable[[], Any]:
    browser = signed_in(alice.user)
    client, _ = allowed(browser)
    codes = [redirect_parameters(answer_page(browser, question(client)))["code"] for _ in range(4)]
    return lambda: redeem(client, codes.pop())


@pytest.mark.parametrize("grant", [ask_for_itself, renew_a_consent, redeem_codes], ids=lambda grant: grant.__name__)
def test_programs_are_refused_in_the_form_of_oauth2(
    alice: Person, settings: Any, grant: Callable[[Person], Callable[[], Any]]
) -> None:
    """Each token request counts for the user of the token, and beyond the rate no secret is checked."""
    request = grant(alice)
    settings.THROTTLE_CALLS = Rate(2, "day")
    assert statuses(request(), request()) == [200, 200]
    with no_hash():
        refused = request()
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/json")
    assert refused.json()["error"] == "temporarily_unavailable"
    assert refused.json()["error_description"].startswith("You have made 2 calls within this day")
    assert int(refused["Retry-After"]) > 0
    assert refused["Cache-Control"] == "no-store"
    assert alice.get(alice.currency()).status_code == 429


def test_a_refresh_token_of_oauth2_is_good_still_after_a_refusal(alice: Person, settings: Any) -> None:
    """Also when the last call comes between checking and issuing: what was refused was not done."""
    client, tokens = allowed(signed_in(alice.user))
    settings.THROTTLE_CALLS = Rate(1, "day")
    alice.get(alice.currency())
    with patch("dimensions_site.tokens.oauth2.endpoints.call_limit_problem", return_value=None):
        assert renewed(client, tokens["refresh_token"]).status_code == 429
    settings.THROTTLE_CALLS = None
    assert renewed(client, tokens["refresh_token"]).status_code == 200


def test_wrong_secrets_are_not_calls(alice: Person, settings: Any) -> None:
    application, secret = service(alice.user)
    settings.THROTTLE_CALLS = Rate(1, "day")
    wrong = [ask("token", (application, "wrong"), grant_type="client_credentials") for _ in range(3)]
    assert statuses(*wrong) == [401] * 3
    assert ask("token", (application, secret), grant_type="client_credentials").status_code == 200


def test_nobody_calls_on_account_of_another_program(alice: Person, ed: Person, settings: Any) -> None:
    """A wrong secret counts for nobody, and a request that names two programs is refused before anything is counted."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    victim, _ = service(alice.user)
    own, secret = service(ed.user, name="Own")
    body = f"grant_type=client_credentials&client_id={own.client_id}&client_secret={secret}"
    headers = {"authorization": basic(victim.client_id, "wrong")}
    kind = "application/x-www-form-urlencoded"
    sent = [Person().post("/auth/oauth2/token", body, content_type=kind, headers=headers) for _ in range(2)]
    assert statuses(*sent) == [400, 400]
    assert ask("token", (victim, "wrong"), grant_type="client_credentials").status_code == 401
    assert not AccessToken.objects.exists()
    assert alice.get(alice.currency()).status_code == 200


def test_the_log_shows_which_program_was_refused_and_why(
    alice: Person, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """By the code that REST clients get, whatever words OAuth2 has for it."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    warehouse = service(alice.user)
    for _ in range(2):
        refused = ask("token", warehouse, grant_type="client_credentials")
    assert refused.status_code == 429
    entry = line(caplog, "access_refused")
    assert (entry["reason"], entry["application"]) == ("TOO_MANY_CALLS", warehouse[0].client_id)


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
