"""The settings of tokens are read strictly: half a provider, or a weak signature, stops the service."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from dimensions_site import environment as env
from dimensions_site.tokens.configuration import ASYMMETRIC, IdentityProvider, identity_provider, signing_keys

pytestmark = pytest.mark.contract("G1")

NAME = "SETTING"
ISSUER, AUDIENCE, KEYS = "https://idp.example", "https://dimensions.example", "https://idp.example/keys"


def test_a_provider_is_described_by_three_settings():
    provider = identity_provider(ISSUER, AUDIENCE, KEYS, "sub", ["RS256"], ["basic", "jwt"])
    assert provider == IdentityProvider(ISSUER, AUDIENCE, KEYS, "sub", ("RS256",))
    assert identity_provider("", "", "", "sub", ["RS256"], ["basic"]) is None


@pytest.mark.parametrize(
    ("issuer", "audience", "keys", "claim", "message"),
    [
        (ISSUER, "", KEYS, "sub", "not set: IDP_AUDIENCE."),
        ("", AUDIENCE, "", "sub", "not set: IDP_ISSUER, IDP_JWKS_URL."),
        (ISSUER, AUDIENCE, KEYS, "", "IDP_USER_CLAIM is empty"),
    ],
)
def test_half_a_provider_is_refused(issuer, audience, keys, claim, message):
    """It would accept nobody's tokens, or everybody's."""
    with pytest.raises(ImproperlyConfigured) as refusal:
        identity_provider(issuer, audience, keys, claim, ["RS256"], ["jwt"])
    assert message in str(refusal.value)


def test_a_provider_needs_the_mode_of_its_tokens():
    with pytest.raises(ImproperlyConfigured, match="API_AUTHENTICATION does not have 'jwt'"):
        identity_provider(ISSUER, AUDIENCE, KEYS, "sub", ["RS256"], ["basic", "oauth2"])


@pytest.mark.parametrize("value", ["none", "HS256", "RS256,HS512", "rs256", "RS256;ES256", ","])
def test_algorithms_in_which_others_can_sign_are_refused(monkeypatch, value):
    monkeypatch.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        env.names(NAME, default=["RS256"], choices=ASYMMETRIC)


@pytest.mark.parametrize(
    "value",
    [
        "",
        ISSUER,
        KEYS,
        "https://idp.example:8443/realms/a?x=1",
        "http://127.0.0.1:9000/keys",
        "http://[::1]:1/",
        "http://localhost/",
    ],
)
def test_an_address_is_https_or_on_this_machine(monkeypatch, value):
    monkeypatch.setenv(NAME, value)
    assert env.web_address(NAME, default="") == value


@pytest.mark.parametrize(
    "value",
    [
        "http://idp.example/keys",
        "http://127.0.0.1.evil.example/",
        "http://localhost.evil.example/",
        "http://127.0.0.1@evil.example/",
        "file:///etc/passwd",
        "ftp://idp.example/",
        "idp.example",
        "https://",
        "https://idp.example/ keys",
        "https://idp.example:port/",
        "HTTPS://idp.example",
        "dimensions",
    ],
)
def test_no_other_address_is_taken(monkeypatch, value):
    """Keys fetched over http could be anybody's."""
    monkeypatch.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        env.web_address(NAME, default="")


def test_tokens_are_signed_with_a_key_of_their_own():
    """It is not SECRET_KEY, and changes with it."""
    keys = set(signing_keys("one", ["two"]).values())
    assert len(keys) == 2
    assert not keys & {"one", "two"}
    assert all(len(key) == 64 for key in keys)
