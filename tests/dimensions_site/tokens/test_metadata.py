"""OAuth2 clients find the endpoints and capabilities of the service at its well-known address (RFC 8414)."""

from typing import Any

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from django.test import Client
from django.urls import set_script_prefix

from dimensions_site.tokens.configuration import SCOPES
from tests.dimensions_site.tokens.clients import ask, basic, planning_tool, service
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]

ADDRESS = "/.well-known/oauth-authorization-server"
HOST = "https://dimensions.example"


@pytest.fixture(autouse=True)
def named(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["dimensions.example", "testserver"]


def fetch(path: str = ADDRESS, **headers: str) -> Any:
    sent = {"Host": "dimensions.example", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Client().get(path, secure=True, headers=sent)


def test_the_metadata_is_what_the_standard_asks_for() -> None:
    """Authlib checks each member, and derives the address from the issuer."""
    answer = fetch()
    metadata = AuthorizationServerMetadata(answer.json())
    metadata.validate()
    assert answer["Content-Type"] == "application/json"
    assert metadata["issuer"] == HOST
    assert get_well_known_url(metadata["issuer"], external=True) == f"{HOST}{ADDRESS}"
    assert metadata["token_endpoint"] == f"{HOST}/auth/oauth2/token"
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert metadata["scopes_supported"] == ["read", "propose", "write", "manage"]


def test_what_it_names_is_what_the_endpoints_take(alice: Person) -> None:
    """Each grant, each way to authenticate, and nothing else."""
    metadata = fetch().json()
    for name in ("token", "revocation", "introspection"):
        path = metadata[f"{name}_endpoint"].removeprefix(HOST)
        assert Client().options(path, HTTP_HOST="dimensions.example").status_code == 200
    application, secret = service(alice.user)
    unknown = ask("token", (application, secret), grant_type="x").json()["error_description"]
    assert all(grant in unknown for grant in metadata["grant_types_supported"])
    in_body = {"client_id": application.client_id, "client_secret": secret}
    tried = {
        "client_secret_basic": ask("token", (application, secret), grant_type="client_credentials"),
        "client_secret_post": ask("token", None, grant_type="client_credentials", **in_body),
    }
    assert {name for name, answer in tried.items() if answer.status_code == 200} == set(tried)
    public, _ = planning_tool(client_type="public")
    code = {"grant_type": "authorization_code", "code": "x", "redirect_uri": public.redirect_uris, "code_verifier": "x"}
    assert ask("token", None, client_id=public.client_id, **code).json()["error"] == "invalid_grant"  # it may ask
    assert set(metadata["token_endpoint_auth_methods_supported"]) == {*tried, "none"}
    assert ask("introspect", None, client_id=public.client_id, token="x").status_code == 401
    assert "none" not in metadata["introspection_endpoint_auth_methods_supported"]
    assert set(metadata["scopes_supported"]) == set(SCOPES)


def test_addresses_are_those_that_a_trusted_proxy_sends(settings: Any) -> None:
    """And no others: anybody could redirect clients elsewhere."""
    settings.ALLOWED_HOSTS = ["dimensions.example", "outside.example"]
    forwarded = {"X_Forwarded_Host": "outside.example", "X_Forwarded_Proto": "https"}
    assert fetch(**forwarded).json()["issuer"] == HOST
    settings.TRUSTED_PROXIES = ["unix"]
    answer = Client(REMOTE_ADDR="").get(
        ADDRESS, headers={name.replace("_", "-"): value for name, value in forwarded.items()}
    )
    assert answer.json()["issuer"] == "https://outside.example"
    settings.ALLOWED_HOSTS = ["dimensions.example"]
    assert fetch(Host="evil.example").status_code == 400


def test_under_a_prefix_it_is_found_below_it_and_where_the_standard_looks(settings: Any) -> None:
    """The issuer has the prefix, and no other path works."""
    settings.URL_PREFIX = settings.FORCE_SCRIPT_NAME = "/some/prefix"
    set_script_prefix("/some/prefix/")  # as the entry point of the web server does
    try:
        found = [fetch(f"{ADDRESS}{rest}") for rest in ("", "/some/prefix", "/some", "/other/prefix", "/some/prefix/")]
    finally:
        set_script_prefix("/")
    assert [answer.status_code for answer in found] == [200, 200, 404, 404, 404]
    for answer in found[:2]:
        metadata = AuthorizationServerMetadata(answer.json())
        metadata.validate()
        assert metadata["issuer"] == f"{HOST}/some/prefix"
        assert metadata["authorization_endpoint"] == f"{HOST}/some/prefix/auth/oauth2/authorize"
        assert get_well_known_url(metadata["issuer"], external=True) == f"{HOST}{ADDRESS}/some/prefix"


@pytest.mark.contract("A4")
def test_it_is_read_only_and_needs_no_credential() -> None:
    """As a document that anybody may read."""
    assert Client().options(ADDRESS, HTTP_HOST="dimensions.example")["Allow"] == "GET, HEAD, OPTIONS"
    assert Client().post(ADDRESS, HTTP_HOST="dimensions.example").status_code == 405
    assert fetch(Authorization=basic("nobody", "x")).status_code == 200
    missing = fetch("/.well-known/nothing")
    assert (missing.status_code, missing["Content-Type"]) == (404, "application/problem+json")
