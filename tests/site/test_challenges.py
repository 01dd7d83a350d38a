"""What a caller who is not known is told about how to come in."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.contract("B2", "G1")

BASIC = 'Basic realm="dimensions", charset="UTF-8"'
API_KEY = 'Api-Key realm="dimensions"'
ASK = """
import django
django.setup()
from django.test import Client
response = Client(headers={"Host": "localhost"}).get("/dimensions/v1/northwind/account/elements")
print(response.status_code, response["WWW-Authenticate"])
"""


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-API-Key": "x"},
        {"Authorization": "Basic !"},
        {"Authorization": "Api-Key"},
        {"Authorization": "Bearer x"},
        {"Authorization": "Digest x"},
    ],
)
@pytest.mark.django_db
def test_a_401_offers_every_enabled_mode(headers):
    """Whatever went wrong, the answer names the schemes that would be right."""
    response = Client(headers=headers).get("/dimensions/v1/northwind/account/elements")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == f"{BASIC}, {API_KEY}"
    assert response.json()["code"] in ("NOT_AUTHENTICATED", "AUTHENTICATION_FAILED")


@pytest.mark.parametrize(
    ("modes", "challenge"),
    [("basic", BASIC), ("api-key", API_KEY), ("api-key,basic", f"{BASIC}, {API_KEY}")],
)
def test_a_mode_that_is_switched_off_is_not_offered(modes, challenge):
    """The setting is read when the service starts, so each case is a service of its own."""
    environment = {**os.environ, "API_AUTHENTICATION": modes, "DJANGO_SETTINGS_MODULE": "dimensions_site.settings"}
    command = [sys.executable, "-c", ASK]
    asked = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == f"401 {challenge}"
