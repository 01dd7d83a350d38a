"""The settings of the sign-in at an OpenID provider: half a provider, or a way in for nobody, stops the service."""

import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dimensions_site.tokens.configuration import OpenIdProvider, local_sign_in, openid_provider

pytestmark = pytest.mark.contract("N1")

ISSUER = "https://idp.example/realms/group"
GOOD: dict[str, Any] = {
    "issuer": ISSUER,
    "client_id": "pages",
    "client_secret": "s",
    "groups_claim": "groups",
    "scopes": ["openid"],
}
PROVIDER = OpenIdProvider(ISSUER, "pages", "s", "groups", ("openid",))


def test_a_provider_is_described_by_three_settings():
    assert openid_provider(**GOOD) == PROVIDER
    assert openid_provider(**{**GOOD, "issuer": "", "client_id": "", "client_secret": ""}) is None


def test_the_secret_is_in_no_message():
    assert "a-secret" not in repr(openid_provider(**{**GOOD, "client_secret": "a-secret"}))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"client_secret": ""}, "not set: OIDC_CLIENT_SECRET."),
        ({"client_secret": " "}, "not set: OIDC_CLIENT_SECRET."),
        ({"issuer": "", "client_id": ""}, "not set: OIDC_ISSUER, OIDC_CLIENT_ID."),
        ({"issuer": f"{ISSUER}?x=1"}, "an issuer has no query"),
        ({"issuer": f"{ISSUER}#x"}, "an issuer has no query"),
        ({"groups_claim": ""}, "OIDC_GROUPS_CLAIM is empty"),
        ({"scopes": ["profile", "email"]}, "OIDC_SCOPES is 'profile,email'; openid has to be one of them"),
    ],
)
def test_a_provider_that_cannot_work_is_refused(changed, message):
    with pytest.raises(ImproperlyConfigured) as refusal:
        openid_provider(**{**GOOD, **changed})
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("chosen", "provider", "expected"),
    [
        ("", None, "all"),
        ("all", None, "all"),
        ("", PROVIDER, "superusers"),
        ("all", PROVIDER, "all"),
        ("none", PROVIDER, "none"),
    ],
)
def test_passwords_are_for_superusers_beside_a_provider(chosen, provider, expected):
    assert local_sign_in(chosen, provider) == expected


@pytest.mark.parametrize("chosen", ["superusers", "none"])
def test_there_is_always_a_way_in(chosen):
    with pytest.raises(ImproperlyConfigured, match="there is no other sign-in"):
        local_sign_in(chosen, None)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"OIDC_ISSUER": ISSUER}, "not set: OIDC_CLIENT_ID, OIDC_CLIENT_SECRET. Set all of them or none."),
        ({"OIDC_ISSUER": "http://idp.example"}, "http is for this machine alone."),
        ({"LOCAL_SIGN_IN": "none"}, "set OIDC_ISSUER, or leave it at all."),
        ({"OIDC_CHECK_MINUTES": "0"}, "OIDC_CHECK_MINUTES is '0'; it has to be a whole number from 1 to 60"),
    ],
)
def test_a_service_with_a_wrong_combination_does_not_start(variables, message):
    """Its one line says why."""
    environment = {**os.environ, **variables, "DJANGO_SETTINGS_MODULE": "dimensions_site.settings"}
    asked = subprocess.run(
        [sys.executable, "manage.py", "check"], env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True
    )
    assert asked.returncode != 0
    assert message in asked.stderr.strip().splitlines()[-1]
