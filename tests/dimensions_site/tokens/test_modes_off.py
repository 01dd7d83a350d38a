"""A disabled mode leaves no trace: no address, no challenge, no word in a document, no page."""

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
from django.conf import settings

from tests.dimensions_site.api.access.test_challenges import API_KEY, BASIC, BEARER

pytestmark = pytest.mark.contract("G1")

# The setting is read when the service starts, so each case is a service of its own.
LOOK = """
import json
import django
django.setup()
from django.contrib import admin
from django.test import Client
client = Client(headers={"Host": "localhost"})
elements = "/dimensions/v1/x/account/elements"
paths = ["jwt/token", "jwt/refresh", "oauth2/token", "oauth2/introspect", "oauth2/revoke", "oauth2/authorize",
    "oauth2/callback"]
document = client.get("/openapi/currency.json").json()
print(json.dumps({
    "there": [path for path in paths if client.options(f"/auth/{path}").status_code != 404],
    "metadata": client.get("/.well-known/oauth-authorization-server").status_code,
    "schemes": sorted(document["components"]["securitySchemes"]),
    "text": json.dumps(document),
    "challenge": client.get(elements).headers["WWW-Authenticate"],
    "refusals": [client.get(elements, headers=headers).json()["detail"] for headers in (
        {"Authorization": "Basic x"}, {"Authorization": "Bearer a.b.c", "X-API-Key": "x"})],
    "pages": sorted(model._meta.label for model in admin.site._registry if model._meta.app_label == "tokens"),
}))
"""
JWT = ["jwt/token", "jwt/refresh"]
OAUTH2 = [f"oauth2/{name}" for name in ("token", "introspect", "revoke", "authorize", "callback")]
PAGES = ["tokens.Application", "tokens.IssuedToken"]


@cache
def service_with(modes: str) -> dict[str, Any]:
    environment = {**os.environ, "API_AUTHENTICATION": modes, "DJANGO_SETTINGS_MODULE": "dimensions_site.settings"}
    command = [sys.executable, "-c", LOOK]
    asked = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    report: dict[str, Any] = json.loads(asked.stdout)
    return report


@pytest.mark.parametrize(
    ("modes", "there", "schemes", "pages", "challenge"),
    [
        ("jwt", JWT, ["jwt"], [], BEARER),
        ("oauth2,basic,api-key", OAUTH2, ["apiKey", "basic", "oauth2"], PAGES, f"{BASIC}, {API_KEY}, {BEARER}"),
    ],
)
def test_only_what_is_on_can_be_seen(
    modes: str, there: list[str], schemes: list[str], pages: list[str], challenge: str
) -> None:
    """In addresses, challenges, OpenAPI documents and the administration."""
    service = service_with(modes)
    assert service["there"] == there
    assert service["metadata"] == (200 if "oauth2" in modes else 404)
    assert service["schemes"] == schemes
    assert service["pages"] == pages
    assert service["challenge"] == challenge
    for mode, word in (("jwt", "/auth/jwt"), ("oauth2", "/auth/oauth2")):
        assert (word in service["text"]) is (mode in modes)


@pytest.mark.contract("B2", "A6")
def test_only_the_enabled_modes_are_named_and_count() -> None:
    """X-API-Key may belong to a gateway if no mode of the service reads it."""
    assert service_with("jwt")["refusals"] == [
        "Unsupported scheme 'Basic'; use Bearer.",
        "The token is malformed: it is not a JSON Web Token.",
    ]
