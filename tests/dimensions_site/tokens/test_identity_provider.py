"""Tokens of an external identity provider are accepted as it has signed them, and in no other form."""

import base64
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.contrib.auth.models import User

from tests.dimensions_site.observability.lines import line
from tests.dimensions_site.tokens.clients import with_token
from tests.dimensions_site.tokens.provided import answer
from tests.dimensions_site.tokens.provider import Provider, private_key, public_jwk
from tests.factories import Person, currency

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_token_of_the_provider_stands_for_the_user_whom_it_names(
    alice: Person, provider: Provider, algorithm: str
) -> None:
    """And may do what that user may do; the keys are requested once."""
    key = provider.new_key("one", algorithm)
    program = with_token(provider.token(key, "one", algorithm))
    assert program.send("POST", program.currency(), currency()).status_code == 201
    assert program.get(program.currency("elements/EUR")).json()["updateInfo"]["user"] == "alice"
    assert len(provider.asked) == 1


def test_the_claim_with_the_user_name_is_a_setting(alice: Person, provider: Provider, settings: Any) -> None:
    settings.IDENTITY_PROVIDER = provider.as_setting(user_claim="preferred_username")
    key = provider.new_key("one")
    assert answer(provider.token(key, "one", sub="81f2", preferred_username="alice")).status_code == 200
    assert answer(provider.token(key, "one")).status_code == 401


@pytest.mark.parametrize(
    "name", ["nobody", "Alice", "alice ", "\u0430lice", "ａlice", "alice\0", "", 1, ["alice"], None]
)
def test_a_name_that_is_not_exactly_that_of_a_user_is_refused(alice: Person, provider: Provider, name: object) -> None:
    """Other letters that look the same are other names, and no user is created."""
    key = provider.new_key("one")
    token = jwt.api_jws.encode(json.dumps(provider.claims(sub=name)).encode(), key, "RS256", {"kid": "one"})
    refused = answer(token)
    assert (refused.status_code, refused.json()["code"]) == (401, "AUTHENTICATION_FAILED")
    assert User.objects.count() == 1


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "name",
    ["\ud800", "alice\udfff", "\0", "alice\n", "alice\u202e", "a" * 151, "a" * 5_000, "\U0001f512" * 151],
    ids=range(8),
)
def test_a_name_that_no_user_can_have_is_refused_before_the_database_is_asked(
    alice: Person, provider: Provider, name: str, django_assert_num_queries: Any
) -> None:
    """Half a surrogate pair and NUL cannot be stored, and no name is longer than 150 characters."""
    key = provider.new_key("one")
    token = jwt.api_jws.encode(json.dumps(provider.claims(sub=name)).encode(), key, "RS256", {"kid": "one"})
    with django_assert_num_queries(0):
        refused = answer(token)
    assert (refused.status_code, refused.json()["code"]) == (401, "AUTHENTICATION_FAILED")
    assert (
        refused.json()["detail"] == 'The claim "sub" of the token is not a user name of 1 to 150 printable characters.'
    )


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "changed",
    [
        {"exp": float("inf")},
        {"exp": float("nan")},
        {"nbf": float("-inf")},
        {"nbf": 10**400},
        {"iat": float("inf")},
        {"exp": "\ud800"},
        {"aud": "\ud800"},
        {"iss": "\ud800"},
        {"iss": ["\ud800"]},
        {"sub": {"a": "\ud800"}},
    ],
    ids=ascii,
)
def test_claims_that_mean_nothing_are_refused_and_do_not_fail(
    alice: Person, provider: Provider, changed: dict[str, Any]
) -> None:
    """A provider may sign what its own clients have chosen."""
    key = provider.new_key("one")
    claims = json.dumps(provider.claims(**changed)).encode()
    assert answer(jwt.api_jws.encode(claims, key, "RS256", {"kid": "one"})).status_code == 401


@pytest.mark.contract("B3")
@pytest.mark.parametrize("where", ["header", "claims"])
@pytest.mark.parametrize("nesting", ["[", '{"a":'])
def test_deeply_nested_json_in_a_token_is_refused(alice: Person, provider: Provider, where: str, nesting: str) -> None:
    """Before verification, an unsigned token is read for the issuer and the key."""
    deep = base64.urlsafe_b64encode(nesting.encode() * 5_000).rstrip(b"=").decode()
    head = deep if where == "header" else segment({"alg": "RS256", "kid": "one"})
    body = deep if where == "claims" else segment(provider.claims())
    assert answer(f"{head}.{body}.AAAA").status_code == 401


def test_a_user_who_is_not_active_is_refused_with_a_message(alice: Person, provider: Provider) -> None:
    User.objects.update(is_active=False)
    refused = answer(provider.token(provider.new_key("one"), "one"))
    assert refused.json()["detail"] == (
        'The token is for "alice", who is not an active user of this service; its operators create users.'
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example"},
        {"aud": "https://others.example"},
        {"aud": []},
        {"aud": None},
        {"exp": None},
        {"exp": 1},
        {"nbf": 4_000_000_000},
        {"iat": 4_000_000_000},
    ],
    ids=str,
)
def test_a_token_for_others_or_for_another_time_is_refused(
    alice: Person, provider: Provider, changed: dict[str, Any]
) -> None:
    assert answer(provider.token(provider.new_key("one"), "one", **changed)).status_code == 401


def test_one_of_several_audiences_is_enough(alice: Person, provider: Provider) -> None:
    key = provider.new_key("one")
    assert (
        answer(provider.token(key, "one", aud=["https://others.example", "https://dimensions.example"])).status_code
        == 200
    )


def segment(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_the_public_key_is_not_a_secret_to_sign_with(alice: Person, provider: Provider) -> None:
    """Key confusion: everybody has it, in each of its forms."""
    key = provider.new_key("one")
    public = key.public_key()
    forms = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        json.dumps(provider.keys[0]).encode(),
    ]
    body = f"{segment({'alg': 'HS256', 'kid': 'one'})}.{segment(provider.claims())}"
    signer = jwt.get_algorithm_by_name("HS256")
    for form in forms:
        signature = base64.urlsafe_b64encode(signer.sign(body.encode(), form)).rstrip(b"=").decode()
        assert answer(f"{body}.{signature}").status_code == 401


@pytest.mark.parametrize("name", ["none", "NONE", "HS256", "RS512", "PS256", "ES256", "X", ""])
def test_another_algorithm_than_that_of_the_key_is_refused(alice: Person, provider: Provider, name: str) -> None:
    key = provider.new_key("one")
    good = provider.token(key, "one")
    _, body, signature = good.split(".")
    assert answer(good).status_code == 200
    assert answer(f"{segment({'alg': name, 'kid': 'one'})}.{body}.{signature}").status_code == 401
    assert answer(f"{segment({'alg': name, 'kid': 'one'})}.{body}.").status_code == 401


def test_an_algorithm_that_the_setting_leaves_out_is_refused(alice: Person, provider: Provider, settings: Any) -> None:
    settings.IDENTITY_PROVIDER = provider.as_setting(algorithms=("ES256",))
    assert answer(provider.token(provider.new_key("one"), "one")).status_code == 401


def test_a_secret_key_among_the_public_ones_is_not_used(
    alice: Person, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    """A provider that publishes one by accident would let everybody sign; the log names the key."""
    provider.new_key("one")
    secret = b"s" * 32
    provider.keys.append({"kty": "oct", "kid": "two", "alg": "HS256", "k": base64.urlsafe_b64encode(secret).decode()})
    assert answer(provider.token(secret, "two", "HS256")).status_code == 401
    refused = line(caplog, "identity_provider_key_refused")
    assert (refused["kid"], refused["reason"]) == ("two", "the type oct, which is not a public key type")


def test_a_key_for_encryption_signs_nothing(alice: Person, provider: Provider) -> None:
    provider.new_key("one")
    assert answer(provider.token(provider.new_key("two", use="enc"), "two")).status_code == 401


def test_a_token_that_brings_its_own_key_is_refused(alice: Person, provider: Provider) -> None:
    """What a header has beside the algorithm and the name of the key is neither used nor fetched."""
    key, own = provider.new_key("one"), private_key("RS256")
    for headers in (
        {"jwk": public_jwk(own, "one")},
        {"jku": f"{provider.issuer}/mine"},
        {"x5u": f"{provider.issuer}/mine"},
        {"x5c": ["x"]},
    ):
        assert answer(provider.token(own, "one", headers=headers)).status_code == 401
        assert answer(provider.token(key, "one", headers=headers)).status_code == 200
    assert len(provider.asked) == 1


@pytest.mark.parametrize("kid", [None, "", "two", "../../etc/passwd", "one' OR '1'='1", "/dev/null", "x" * 5_000])
def test_a_key_that_the_provider_does_not_have_is_refused(alice: Person, provider: Provider, kid: str | None) -> None:
    """Also one without a name."""
    key = provider.new_key("one")
    assert answer(provider.token(key, kid)).status_code == 401


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({}, 201),
        ({"scope": "openid profile"}, 201),
        ({"scope": "openid read"}, 403),
        ({"scope": "read write"}, 201),
        ({"scp": ["read"]}, 403),
        ({"scp": "read"}, 403),
        ({"scope": ["read", "openid"]}, 403),
        ({"scope": 1}, 201),
    ],
    ids=str,
)
def test_a_scope_of_ours_narrows_and_others_say_nothing(
    alice: Person, provider: Provider, claims: dict[str, Any], status: int
) -> None:
    """A provider's tokens carry scopes of its own."""
    program = with_token(provider.token(provider.new_key("one"), "one", **claims))
    made = program.send("POST", program.currency(), currency())
    assert made.status_code == status
    if status == 403:
        assert 'error="insufficient_scope", scope="write"' in made["WWW-Authenticate"]


def test_the_tokens_of_this_service_are_taken_beside_those_of_the_provider(alice: Person, provider: Provider) -> None:
    """Each is checked by its issuer, and neither key is valid for the other."""
    key = provider.new_key("one")
    from_us = jwt.encode(provider.claims(), "x" * 64, algorithm="HS256", headers={"kid": "one"})
    assert answer(from_us).status_code == 401
    ours = provider.token(key, "one", iss="dimensions", aud="dimensions", token_type="access")
    assert answer(ours).status_code == 401


def test_without_a_provider_its_tokens_are_unknown(alice: Person, provider: Provider, settings: Any) -> None:
    settings.IDENTITY_PROVIDER = None
    refused = answer(provider.token(provider.new_key("one"), "one"))
    assert refused.status_code == 401
    assert "issuer" in refused.json()["detail"]


@pytest.mark.contract("O3")
@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({}, "NOT_A_PERSON"),
        ({"auth_time": "today"}, "NOT_A_PERSON"),
        ({"auth_time": True}, "NOT_A_PERSON"),
        ({"auth_time": 1_774_000_000}, "PLAN_NOT_FOUND"),
    ],
)
def test_only_a_token_for_which_somebody_has_signed_in_decides_on_plans(
    alice: Person, provider: Provider, claims: dict[str, Any], code: str
) -> None:
    """It says when, in `auth_time`; programs have tokens without it."""
    program = with_token(provider.token(provider.new_key("one"), "one", **claims))
    path = alice.account("elements-plans/6b1f8e62-3c0a-4f0e-9a57-0d8b1c2e7f44/approve")
    assert program.send("POST", path, {}).json()["code"] == code
