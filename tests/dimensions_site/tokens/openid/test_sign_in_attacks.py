"""Attempts to sign in as somebody, or as more than one is: each ends without a session and without a user."""

import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dimensions_site.repositories.models import AccessChange
from dimensions_site.tokens.models import ProviderAccount
from dimensions_site.tokens.openid import provider
from tests.dimensions_site.tokens.openid.company import (
    CALLBACK,
    CLIENT_ID,
    Company,
    asked_for,
    come_back,
    is_signed_in,
    sign_in,
)
from tests.dimensions_site.tokens.provider import private_key

pytestmark = [pytest.mark.contract("N1", "N2"), pytest.mark.django_db]

Attempt = Callable[[Company, Client], Any]


def with_claims(**changed: Any) -> Attempt:
    return lambda company, browser: sign_in(company, browser, **changed)


def with_token(forged: Callable[[Company, dict[str, Any]], str]) -> Attempt:
    """The token endpoint answers an ID token of another kind, made of good claims."""

    def attempt(company: Company, browser: Client) -> Any:
        parameters = asked_for(browser)
        code = company.code(parameters, lambda: forged(company, company.claims(parameters)))
        return come_back(browser, parameters, code)

    return attempt


def on_return(changed: Callable[[Company, dict[str, str]], dict[str, str]]) -> Attempt:
    """The browser comes back with other parameters; None removes one."""

    def attempt(company: Company, browser: Client) -> Any:
        parameters = asked_for(browser)
        good = {"code": company.code(parameters), "state": parameters["state"]}
        sent = {name: value for name, value in {**good, **changed(company, parameters)}.items() if value is not None}
        return browser.get(CALLBACK, sent)

    return attempt


def with_the_state_of_another_browser(company: Company, browser: Client) -> Any:
    """The attacker makes a victim's browser open the address with which the attacker would have come back."""
    attackers = asked_for(Client())
    asked_for(browser)
    return come_back(browser, attackers, company.code(attackers))


def with_a_state_that_was_used(company: Company, browser: Client) -> Any:
    other = Client()
    parameters = asked_for(other)
    assert come_back(other, parameters, company.code(parameters)).status_code == 302
    other.post("/admin/logout/")
    browser.cookies = other.cookies
    return come_back(browser, parameters, company.code(parameters))


def with_a_code_of_another_sign_in(company: Company, browser: Client) -> Any:
    """Injected into the victim's sign-in: its challenge is another (PKCE)."""
    return come_back(browser, asked_for(browser), company.code(asked_for(Client())))


def with_the_id_token_of_another_sign_in(company: Company, browser: Client) -> Any:
    other = company.claims(asked_for(Client()))
    return with_token(lambda company, _: company.sign(other))(company, browser)


def with_a_code_of_another_provider(company: Company, browser: Client) -> Any:
    other = Company()
    try:
        parameters = asked_for(browser)
        return come_back(browser, parameters, other.code(parameters))
    finally:
        other.stop()


def from_another_issuer_that_names_itself(company: Company, browser: Client) -> Any:
    company.metadata = {"authorization_response_iss_parameter_supported": True}
    return on_return(lambda company, _: {"iss": "https://other.example"})(company, browser)


def without_the_issuer_that_the_provider_promises(company: Company, browser: Client) -> Any:
    company.metadata = {"authorization_response_iss_parameter_supported": True}
    return on_return(lambda company, _: {})(company, browser)


def without_an_id_token(company: Company, browser: Client) -> Any:
    company.tokens = {"id_token": None}
    return with_token(lambda *_: "")(company, browser)


def hmac_with_the_public_key(company: Company, claims: dict[str, Any]) -> str:
    """The library that makes the token refuses a key in PEM, so the bytes of the modulus stand for it."""
    public = company.keys["one"].public_key().public_numbers().n.to_bytes(256)
    return jwt.encode(claims, public, "HS256", {"kid": "one"})


def with_its_own_key(company: Company, claims: dict[str, Any]) -> str:
    key = private_key("RS256")
    return jwt.encode(claims, key, "RS256", {"kid": "one", "jwk": {"kty": "RSA"}, "jku": f"{company.issuer}/keys"})


ATTEMPTS: dict[str, Attempt] = {
    "wrong nonce": with_claims(nonce="another"),
    "no nonce": with_claims(nonce=None),
    "nonce said to be unsupported": with_claims(nonce=None, nonce_supported=False),
    "wrong issuer": with_claims(iss="https://other.example"),
    "issuer with a slash more": with_claims(iss="http://127.0.0.1/"),
    "wrong audience": with_claims(aud="another-client"),
    "wrong audience, right party": with_claims(aud="another-client", azp=CLIENT_ID),
    "two audiences, another party": with_claims(aud=[CLIENT_ID, "another"], azp="another"),
    "expired": with_claims(exp=int(time.time()) - 60),
    "no expiry": with_claims(exp=None),
    "issued in the future": with_claims(iat=int(time.time()) + 3_600),
    "not yet valid": with_claims(nbf=int(time.time()) + 3_600),
    "no subject": with_claims(sub=None),
    "a number as subject": with_claims(sub=81),
    "an endless subject": with_claims(sub="x" * 300),
    "NUL in the subject": with_claims(sub="81f2\0"),
    "wrong hash of the access token": with_claims(at_hash="AAAA"),
    "alg none": with_token(lambda _, claims: jwt.encode(claims, "", "none")),
    "HMAC with the public key": with_token(hmac_with_the_public_key),
    "HMAC with the secret of the client": with_token(lambda _, claims: jwt.encode(claims, "x" * 64, "HS256")),
    "a key of the token's own": with_token(with_its_own_key),
    "an unknown key": with_token(
        lambda company, claims: jwt.encode(claims, company.keys["one"], "RS256", {"kid": "unknown"})
    ),
    "a changed signature": with_token(lambda company, claims: company.sign(claims)[:-6] + "AAAAAA"),
    "no token": with_token(lambda *_: ""),
    "no ID token": without_an_id_token,
    "no state": on_return(lambda *_: {"state": None}),
    "a guessed state": on_return(lambda *_: {"state": "guessed"}),
    "an endless state": on_return(lambda *_: {"state": "x" * 10_000}),
    "state of another browser": with_the_state_of_another_browser,
    "state used before": with_a_state_that_was_used,
    "no code": on_return(lambda *_: {"code": None}),
    "a guessed code": on_return(lambda *_: {"code": "guessed"}),
    "code of another sign-in": with_a_code_of_another_sign_in,
    "code of another provider": with_a_code_of_another_provider,
    "ID token of another sign-in": with_the_id_token_of_another_sign_in,
    "another issuer in the answer": from_another_issuer_that_names_itself,
    "no issuer in the answer": without_the_issuer_that_the_provider_promises,
    "issuer that was not promised": on_return(lambda *_: {"iss": "https://other.example"}),
    "an error and a code": on_return(lambda *_: {"error": "access_denied", "error_description": "<script>"}),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_an_attempt_ends_without_a_session_and_without_a_user(
    company: Company, accountants: Group, client: Client, attempt: Attempt
) -> None:
    before = User.objects.exclude(username="nora").count()
    answer = attempt(company, client)
    assert answer.status_code in (400, 403, 503)
    assert "You are not signed in" in answer.content.decode()
    assert "<script>" not in answer.content.decode().partition("</head>")[2].partition('role="alert"')[2][:400]
    assert not is_signed_in(client)
    assert User.objects.exclude(username="nora").count() == before


@pytest.mark.contract("N3")
@pytest.mark.parametrize(
    "groups",
    [
        "accounting",
        {"0": "accounting"},
        [["accounting"]],
        ["accounting", 7],
        ["accounting", None],
        True,
        7,
        ["accounting", *map(str, range(5_000))],
    ],
    ids=lambda groups: str(groups)[:30],
)
def test_groups_in_another_form_are_refused_and_recorded(
    company: Company, accountants: Group, client: Client, groups: Any
) -> None:
    """A text with the name in it is no list of names."""
    answer = sign_in(company, client, groups=groups)
    assert answer.status_code == 403
    assert not is_signed_in(client)
    assert not User.objects.exists()
    refused = AccessChange.objects.filter(event="sign_in_refused").get()
    assert refused.subject == {"user": "nora"}
    assert (refused.changes or {})["reason"] in ("groups_claim", "too_many_groups")


@pytest.mark.contract("N3")
@pytest.mark.parametrize(
    "claims", [{"_claim_names": {"groups": "src1"}, "groups": None}, {"hasgroups": True, "groups": None}]
)
def test_groups_that_the_provider_has_left_out_are_not_taken_for_none(
    company: Company, accountants: Group, client: Client, claims: dict[str, Any]
) -> None:
    """Nora would lose her groups here because she has too many there."""
    sign_in(company, Client())
    assert sign_in(company, client, **claims).status_code == 403
    assert accountants.user_set.get().username == "nora"


@pytest.mark.contract("N3")
def test_no_claim_makes_a_superuser_or_another_person(company: Company, accountants: Group, client: Client) -> None:
    """Neither a claim of that name, nor groups of names that mean more elsewhere, nor the name of a superuser."""
    User.objects.create_superuser("root", "root@example.com", "root-password")
    claims: dict[str, Any] = {
        "is_superuser": True,
        "is_staff": True,
        "admin": True,
        "roles": ["admin"],
        "user": "root",
        "id": 1,
    }
    groups = ["accounting", "superusers", "admin", "Domain Admins"]
    names: dict[str, Any] = {"preferred_username": "root", "email": "root@example.com", "email_verified": True}
    assert sign_in(company, client, **claims, **names, groups=groups).status_code == 302
    user = ProviderAccount.objects.get(subject="81f2").user
    assert (user.username, user.is_superuser, user.has_usable_password()) == ("root-2", False, False)
    assert [group.name for group in user.groups.all()] == ["Accountants"]


@pytest.mark.parametrize("name", ["ROOT", "ｒｏｏｔ", "root ", "rо\u043ft"])
def test_no_name_looks_like_that_of_another_user(
    company: Company, accountants: Group, client: Client, name: str
) -> None:
    User.objects.create_superuser("root", password="root-password")
    sign_in(company, client, preferred_username=name)
    made = ProviderAccount.objects.get().user.username
    assert made.isascii()
    assert made.casefold() != "root"


def test_a_session_of_before_the_sign_in_opens_nothing_afterwards(
    company: Company, accountants: Group, client: Client
) -> None:
    """An attacker who has planted a session key in the browser has the key of no session afterwards."""
    asked_for(client)
    planted = str(client.session.session_key)
    sign_in(company, client)
    attacker = Client()
    attacker.cookies["sessionid"] = planted
    assert is_signed_in(client)
    assert not is_signed_in(attacker)


def test_a_sign_in_ends_what_another_user_had_open(
    company: Company, accountants: Group, client: Client, alice: Any
) -> None:
    User.objects.filter(pk=alice.user.pk).update(is_staff=True)
    client.force_login(alice.user)
    session = client.session
    session["of_alice"] = 1
    session.save()
    sign_in(company, client)
    assert "of_alice" not in client.session
    assert client.get("/admin/").context["user"].username == "nora"


def test_errors_of_the_provider_reveal_no_secrets_in_the_log(
    company: Company, accountants: Group, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    parameters = asked_for(client)
    code = company.code(parameters, nonce="another")
    come_back(client, parameters, code)
    company.refusal = "invalid_client"
    sign_in(company, client)
    assert "sign_in_failed" in caplog.text
    for secret in (code, parameters["state"], parameters["nonce"], company.as_setting().client_secret, "an-access"):
        assert secret not in caplog.text


def test_a_rotated_key_is_found_at_once_and_a_withdrawn_one_after_a_while(
    company: Company, accountants: Group, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(company, client)
    company.new_key("two")
    old = company.keys.pop("one")
    new = with_token(lambda company, claims: company.sign(claims, kid="two"))
    assert new(company, Client()).status_code == 302
    withdrawn = with_token(lambda company, claims: company.sign(claims, key=old))
    monkeypatch.setattr(provider, "_KEPT", -1)
    assert withdrawn(company, Client()).status_code == 400
