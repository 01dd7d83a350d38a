"""Tokens that this service has not signed, or not for this purpose, are refused with 401."""

import base64
import json
from typing import Any

import jwt
import pytest
from django.conf import settings

from tests.dimensions_site.tokens.clients import tokens_of, with_token
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1", "B3"), pytest.mark.django_db]

KID, KEY = next(iter(settings.JWT_SIGNING_KEYS.items()))


@pytest.fixture
def claims(alice: Person) -> dict[str, Any]:
    """What a good token of Alice says."""
    good = jwt.decode(tokens_of("alice")["access"], KEY, algorithms=["HS256"], audience="dimensions")
    assert answer(encoded(good)).status_code == 200
    return good


def answer(token: str) -> Any:
    program = with_token(token)
    return program.get(program.currency("elements-count"))


def encoded(claims: dict[str, Any], key: str = KEY, algorithm: str = "HS256") -> str:
    """A token with the name of our key, whichever key signs it."""
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": KID})


def segment(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def unsigned(head: bytes, body: bytes) -> str:
    return f"{segment(head)}.{segment(body)}.AA"


HEAD, OURS = b'{"alg": "HS256"}', b'{"iss": "dimensions"}'


def test_a_token_that_somebody_else_has_signed_is_refused(claims: dict[str, Any]) -> None:
    """Nor is it signed by the key of sessions, whoever may have learned that one."""
    for key in ("", "x" * 64, settings.SECRET_KEY):
        if key:
            assert answer(encoded(claims, key)).status_code == 401
    head, body, signature = encoded(claims).split(".")
    # Not the last letter, of which some bits do not count.
    altered = ("B" if signature[0] == "A" else "A") + signature[1:]
    for forged in (f"{head}.{body}.", f"{head}.{body}.{altered}", f"{head}.{segment(b'{}')}.{signature}"):
        assert answer(forged).status_code == 401


@pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
def test_another_algorithm_is_refused(claims: dict[str, Any], algorithm: str) -> None:
    """Even with the right key."""
    assert answer(encoded(claims, algorithm=algorithm)).status_code == 401


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", ""])
def test_a_token_without_a_signature_is_refused(claims: dict[str, Any], name: str) -> None:
    head = segment(json.dumps({"alg": name, "typ": "JWT", "kid": KID}).encode())
    body = segment(json.dumps(claims).encode())
    for signature in ("", "AA"):
        assert answer(f"{head}.{body}.{signature}").status_code == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "somebody"},
        {"iss": None},
        {"iss": ["dimensions"]},
        {"iss": {"x": 1}},
        {"aud": "others"},
        {"aud": None},
        {"exp": 1},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": 1e400},
        {"nbf": 4_000_000_000},
        {"iat": 4_000_000_000},
        {"token_type": "refresh"},
        {"token_type": None},
        {"jti": None},
        {"user_id": "999999"},
        {"hash_password": ""},
        {"hash_password": None},
        {"generation": 1},
        {"generation": None},
    ],
    ids=str,
)
def test_a_token_with_a_wrong_or_missing_claim_is_refused(claims: dict[str, Any], changed: dict[str, Any]) -> None:
    """Though we have signed it."""
    said = {name: value for name, value in {**claims, **changed}.items() if value is not None}
    # The library that signs would refuse to write some of them.
    token = jwt.api_jws.encode(json.dumps(said).encode(), KEY, algorithm="HS256", headers={"kid": KID})
    assert answer(token).status_code == 401


@pytest.mark.parametrize(
    "token",
    [
        ".",
        "..",
        "...",
        "a.b",
        "a.b.c.d",
        "a.b.c.d.e",
        "a" * 7_000 + ".b.c",
        "\N{LATIN SMALL LETTER E WITH ACUTE}.b.c",
        "a b.c.d",
        unsigned(b"[" * 5_000, b"{}"),
        unsigned(HEAD, b"[" * 5_000),
        unsigned(HEAD, b'{"iss": ' + b"9" * 5_000 + b"}"),
        unsigned(HEAD, b"[]"),
        unsigned(b'{"alg": ["HS256"]}', OURS),
        unsigned(b'{"alg": "HS256", "crit": ["x"], "x": 1}', OURS),
        unsigned(b'{"alg": "HS256", "kid": ["x"]}', OURS),
        unsigned(b'{"alg": "HS256", "b64": false}', b""),
        unsigned(b"\xff\xfe", b"\xff"),
    ],
    ids=lambda token: f"{len(token)} {token[-30:]}",
)
def test_what_is_not_a_token_at_all_is_refused(alice: Person, token: str) -> None:
    """Nesting, length, other letters: 401, never a failure."""
    refused = answer(token)
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused["WWW-Authenticate"]
