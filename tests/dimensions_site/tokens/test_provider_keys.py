"""The keys of the identity provider: found by name, dropped when withdrawn, kept while it fails."""

import warnings
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.warnings import InsecureKeyLengthWarning

from dimensions_site.tokens.jwt import identity_provider
from tests.dimensions_site.observability.lines import line
from tests.dimensions_site.tokens.provided import Clock, answer
from tests.dimensions_site.tokens.provider import Provider, private_key, public_jwk
from tests.factories import Person
from tests.services.worker import wait_until


def rsa_key(bits: int) -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


def test_a_new_key_is_found_when_a_token_names_it(alice: Person, provider: Provider, clock: Clock) -> None:
    """While the old one is still good."""
    old = provider.new_key("old")
    assert answer(provider.token(old, "old")).status_code == 200
    new = provider.new_key("new")
    clock.now += 11
    assert answer(provider.token(new, "new")).status_code == 200
    assert answer(provider.token(old, "old")).status_code == 200
    assert len(provider.asked) == 2


def test_forged_names_of_keys_do_not_make_us_overrun_the_provider(
    alice: Person, provider: Provider, clock: Clock
) -> None:
    """It is requested once in ten seconds, whatever comes; good tokens keep working."""
    key = provider.new_key("one")
    for number in range(50):
        assert answer(provider.token(private_key_of_nobody, f"forged-{number}")).status_code == 401
        clock.now += 0.1
    assert answer(provider.token(key, "one")).status_code == 200
    assert len(provider.asked) == 1
    clock.now += 10
    for number in range(50):
        answer(provider.token(private_key_of_nobody, f"forged-{number}"))
    assert len(provider.asked) == 2


private_key_of_nobody = private_key("RS256")


def test_a_key_that_the_provider_has_withdrawn_is_dropped(alice: Person, provider: Provider, clock: Clock) -> None:
    """After five minutes at most."""
    stolen = provider.new_key("stolen")
    assert answer(provider.token(stolen, "stolen")).status_code == 200
    provider.keys.clear()
    provider.new_key("new")
    clock.now += 301
    assert answer(provider.token(stolen, "stolen")).status_code == 401


@pytest.mark.parametrize(
    ("weak", "algorithm", "reason"),
    [
        (rsa_key(1024), "RS256", "RSA with 1,024 bits"),
        (rsa_key(2040), "PS256", "RSA with 2,040 bits"),
        (ec.generate_private_key(ec.SECP256K1()), "ES256K", "the curve secp256k1"),
    ],
    ids=["RSA-1024", "RSA-2040", "secp256k1"],
)
def test_a_weak_key_is_refused_beside_a_strong_one(
    alice: Person,
    provider: Provider,
    clock: Clock,
    settings: Any,
    caplog: pytest.LogCaptureFixture,
    weak: Any,
    algorithm: str,
    reason: str,
) -> None:
    """The log names it, once; tokens signed by the strong one are accepted."""
    settings.IDENTITY_PROVIDER = provider.as_setting(algorithms=("RS256", "PS256", "ES256", "ES256K"))
    provider.keys.append(public_jwk(weak, "weak", alg=algorithm))
    strong = provider.new_key("strong")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureKeyLengthWarning)  # of the library that signs here
        for _ in range(2):
            assert answer(provider.token(weak, "weak", algorithm)).status_code == 401
            clock.now += 301
    assert answer(provider.token(strong, "strong")).status_code == 200
    refused = line(caplog, "identity_provider_key_refused")
    assert (refused["kid"], refused["reason"], refused["level"]) == ("weak", reason, "warning")
    assert len(provider.asked) == 3


def test_a_provider_with_weak_keys_alone_has_none(alice: Person, provider: Provider) -> None:
    """Its tokens are refused: it was requested, and to request it again would not help."""
    weak = rsa_key(1024)
    provider.keys.append(public_jwk(weak, "weak", alg="RS256"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureKeyLengthWarning)
        token = provider.token(weak, "weak")
    assert answer(token).status_code == 401


@pytest.mark.parametrize(
    "broken",
    [
        (500, b""),
        (302, b""),
        (404, b"no"),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"keys": []}'),
        (200, b'{"keys": 1}'),
        (200, b'{"keys": [{"kty": "RSA", "kid": "x"}]}'),
        (200, b"[" * 100_000),
        (200, b"\xff\xfe"),
        (200, b'{"keys": [{"kty": "RSA", "kid": "x", "alg": "none"}]}'),
    ],
    ids=range(11),
)
def test_a_provider_that_fails_does_not_matter_to_known_keys(
    alice: Person, provider: Provider, clock: Clock, broken: tuple[int, bytes]
) -> None:
    """They stay; without any key the response is 503 with Retry-After."""
    key = provider.new_key("one")
    provider.answer = broken
    refused = answer(provider.token(key, "one"))
    assert (refused.status_code, refused.json()["code"]) == (503, "IDENTITY_PROVIDER_UNAVAILABLE")
    assert refused["Retry-After"] == "10"
    provider.answer = None
    clock.now += 11
    assert answer(provider.token(key, "one")).status_code == 200
    provider.answer = broken
    clock.now += 3_600
    assert answer(provider.token(key, "one")).status_code == 200
    assert answer(provider.token(key, "two")).status_code == 401


def test_an_unavailable_provider_is_not_requested_for_each_call(
    alice: Person, provider: Provider, clock: Clock
) -> None:
    """Each request may take seconds."""
    key = provider.new_key("one")
    provider.answer = (500, b"")
    for _ in range(20):
        assert answer(provider.token(key, "one")).status_code == 503
    assert len(provider.asked) == 1


def test_a_provider_that_answers_byte_by_byte_holds_nobody(
    alice: Person, provider: Provider, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither good tokens nor forged ones, which name unknown keys; the keys count when all of them have arrived."""
    monkeypatch.setattr(identity_provider, "_TIMEOUT", 0.1)
    key = provider.new_key("one")
    provider.is_slow = True
    assert answer(provider.token(key, "one")).status_code == 503
    clock.now += 1
    for number in range(5):
        assert answer(provider.token(private_key_of_nobody, f"forged-{number}")).status_code == 503
    wait_until(lambda: len(provider.asked) == 1, "the provider was not asked")
    assert provider.answered == 0
    provider.is_slow = False
    wait_until(lambda: answer(provider.token(key, "one")).status_code == 200, "the keys never counted")
    assert len(provider.asked) == 1


def test_a_provider_that_falls_silent_is_given_up(
    alice: Person, provider: Provider, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it is requested again."""
    monkeypatch.setattr(identity_provider, "_SILENCE", 0.1)
    key = provider.new_key("one")
    provider.is_slow, provider.silence = True, 60
    assert answer(provider.token(key, "one")).status_code == 503
    provider.is_slow = False

    def answers_when_asked_again() -> bool:
        clock.now += 11
        return bool(answer(provider.token(key, "one")).status_code == 200)

    wait_until(answers_when_asked_again, "the provider was not asked again")
    assert len(provider.asked) >= 2
