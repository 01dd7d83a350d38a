"""The challenges that an unauthenticated client gets."""

import pytest
from django.test import Client

pytestmark = pytest.mark.contract("B2", "G1")

BASIC = 'Basic realm="dimensions", charset="UTF-8"'
API_KEY = 'Api-Key realm="dimensions"'
BEARER = 'Bearer realm="dimensions"'


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
