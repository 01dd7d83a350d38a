"""The challenges that an unauthenticated client gets."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.contract("B2", "G1")

BASIC = 'Basic realm="dimensions", charset="UTF-8"'
API_KEY = 'Api-Key realm="dimensions"'
BEARER = 'Bearer realm="dimensions"'
ASK = """
import django
django.setup()
from django.test import Client
response = Client(headers={"Host": "localhost"}).get("/dimensions/v1/northwind/account/elements")
print(response.status_code, response["WWW-Authenticate"])
"""


@pytest.mark.parametrize(
    ("headers", "of_bearer"),
    [
        ({}, BEARER),
        ({"X-API-Key": "x"}, BEARER),
        ({"Authorization": "Basic !"}, BEARER),
        ({"Authorization": "Api-Key"}, BEARER),
        ({"Authorization": "Digest x"}, BEARER),
        ({"Authorization": "Bearer x"}, f'{BEARER}, error="invalid_token"'),
        ({"Authorization": "bearer a.b.c"}, f'{BEARER}, error="invalid_token"'),
        ({"Authorization": "Bearer"}, f'{BEARER}, error="invalid_token"'),
        ({"Authorization": "Bearer x y"}, f'{BEARER}, error="invalid_token"'),
        ({"Authorization": "Bearer \N{LATIN SMALL LETTER E WITH ACUTE}"}, f'{BEARER}, error="invalid_token"'),
    ],
)
@pytest.mark.django_db
def test_a_401_offers_every_enabled_mode(headers, of_bearer):
    """Whatever went wrong, the response names the accepted schemes, each once; both kinds of tokens are
    `Bearer`, and a token that was refused is reported as RFC 6750 says."""
    response = Client(headers=headers).get("/dimensions/v1/northwind/account/elements")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == f"{BASIC}, {API_KEY}, {of_bearer}"
    assert response.json()["code"] in ("NOT_AUTHENTICATED", "AUTHENTICATION_FAILED")


@pytest.mark.parametrize(
    ("modes", "challenge"),
    [
        ("basic", BASIC),
        ("api-key,basic", f"{BASIC}, {API_KEY}"),
        ("jwt", BEARER),
        ("oauth2,basic", f"{BASIC}, {BEARER}"),
        ("jwt,oauth2", BEARER),
    ],
)
def test_a_mode_that_is_switched_off_is_not_offered(modes, challenge):
    """The setting is read when the service starts, so each case is a service of its own."""
    environment = {**os.environ, "API_AUTHENTICATION": modes, "DJANGO_SETTINGS_MODULE": "dimensions_site.settings"}
    command = [sys.executable, "-c", ASK]
    asked = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == f"401 {challenge}"
