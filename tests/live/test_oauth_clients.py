"""Python's OAuth2 library against the running service: for a program itself, and for a person in a browser session."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urlsplit

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from oauthlib.oauth2 import BackendApplicationClient, InvalidGrantError
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from tests.services.clerk import errand
from tests.services.service import Service, serving

pytestmark = [pytest.mark.contract("G1")]

SECRET = "a-secret-of-the-program-that-nobody-else-knows"
CALLBACK = "https://planning.example/callback"
COUNT = "/dimensions/v1/northwind/account/elements-count"


@pytest.fixture(scope="module")
def plain(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service over plain http, with two applications that the library's own command makes."""
    url, key = prepared
    for words in (
        ("client-credentials", "--client-id", "warehouse", "--user", "1"),
        ("authorization-code", "--client-id", "planning", "--redirect-uris", CALLBACK),
    ):
        named = ["createapplication", "confidential", *words, "--name", words[2], "--client-secret", SECRET]
        errand(url, f"from django.core.management import call_command; call_command(*{named})")
    with serving(url, key, tmp_path_factory.mktemp("oauth"), SECURE_COOKIES="false") as running:
        yield running


@pytest.fixture(autouse=True)
def over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library refuses to send secrets over http unless configured for a test."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


def test_a_program_gets_a_token_for_itself(plain: Service) -> None:
    """And another one when it has been revoked."""
    session = OAuth2Session(client=BackendApplicationClient("warehouse"), scope=["read"])
    token_url = f"{plain.address}/auth/oauth2/token"
    token = session.fetch_token(token_url, client_id="warehouse", client_secret=SECRET)
    assert token["scope"] == ["read"]
    assert isinstance(session.get(plain.address + COUNT).json(), int)
    assert (
        session.delete(f"{plain.address}/dimensions/v1/northwind/account/elements-bulk-delete-async/x").status_code
        == 403
    )
    credentials = HTTPBasicAuth("warehouse", SECRET)
    introspection = requests.post(
        f"{plain.address}/auth/oauth2/introspect", {"token": token["access_token"]}, auth=credentials, timeout=30
    )
    assert introspection.json()["username"] == "alice"
    given_back = requests.post(
        f"{plain.address}/auth/oauth2/revoke", {"token": token["access_token"]}, auth=credentials, timeout=30
    )
    assert given_back.status_code == 200
    assert session.get(plain.address + COUNT).status_code == 401
    session.fetch_token(token_url, client_id="warehouse", client_secret=SECRET)
    assert session.get(plain.address + COUNT).status_code == 200


def test_a_client_that_knows_the_issuer_alone_gets_a_token(plain: Service) -> None:
    """Authlib reads the metadata, and calls with the token from the endpoint that they name."""
    session = AuthlibSession("warehouse", SECRET, scope="read")
    address = f"{plain.address}/.well-known/oauth-authorization-server"
    metadata = session.request("GET", address, withhold_token=True).json()
    assert metadata["issuer"] == plain.address
    session.fetch_token(metadata["token_endpoint"], grant_type="client_credentials")
    assert isinstance(session.get(plain.address + COUNT).json(), int)
    asked = session.introspect_token(metadata["introspection_endpoint"], token=session.token["access_token"])
    assert asked.json()["active"] is True


def fields(page: str, form: str) -> dict[str, str]:
    """The hidden fields of the form that has `form` in its first tag."""
    found = {}
    inside = re.search(rf"<form[^>]*{form}[^>]*>(.*?)</form>", page, re.DOTALL)
    assert inside is not None, page
    for tag in re.findall(r"<input[^>]*type=\"hidden\"[^>]*>", inside[1]):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name:
            found[name[1]] = unescape(value[1]) if value else ""
    return found


def allow(address: str) -> str:
    """What a person does in a browser: sign in, read the question, allow it. The address to which that leads."""
    browser = requests.Session()
    sign_in = browser.get(address, timeout=30)
    assert urlsplit(sign_in.url).path == "/admin/login/"
    form = {**fields(sign_in.text, 'id="login-form"'), "username": "alice", "password": "alice-password"}
    question = browser.post(sign_in.url, form, headers={"Referer": sign_in.url}, timeout=30)
    assert urlsplit(question.url).path == "/auth/oauth2/authorize"
    assert "planning" in question.text
    form = {**fields(question.text, 'id="consent"'), "allow": "on"}
    answer = browser.post(question.url, form, headers={"Referer": question.url}, allow_redirects=False, timeout=30)
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


def redeem(plain: Service) -> tuple[OAuth2Session, str]:
    """A session with tokens for the person who consented, and the address with the code that it redeemed."""
    session = OAuth2Session("planning", redirect_uri=CALLBACK, scope=["write"], pkce="S256")
    address, state = session.authorization_url(f"{plain.address}/auth/oauth2/authorize")
    came_back_to = allow(address)
    assert came_back_to.startswith(f"{CALLBACK}?")
    assert f"state={state}" in came_back_to
    session.fetch_token(f"{plain.address}/auth/oauth2/token", authorization_response=came_back_to, client_secret=SECRET)
    assert session.get(plain.address + COUNT).status_code == 200
    return session, came_back_to


def test_a_program_acts_for_a_person_who_consents(plain: Service) -> None:
    """Authorization code with PKCE, then a renewal; the used refresh token is no longer valid and ends the new ones."""
    token_url = f"{plain.address}/auth/oauth2/token"
    session, _ = redeem(plain)
    token = session.token
    credentials = HTTPBasicAuth("planning", SECRET)
    renewed = session.refresh_token(token_url, refresh_token=token["refresh_token"], auth=credentials)
    assert renewed["access_token"] != token["access_token"]
    assert session.get(plain.address + COUNT).status_code == 200
    with pytest.raises(InvalidGrantError):
        session.refresh_token(token_url, refresh_token=token["refresh_token"], auth=credentials)
    assert session.get(plain.address + COUNT).status_code == 401


def test_a_code_that_is_sent_again_ends_the_tokens_that_it_gave(plain: Service) -> None:
    """Somebody else may have it: neither the access token nor the refresh token works afterwards."""
    token_url = f"{plain.address}/auth/oauth2/token"
    session, came_back_to = redeem(plain)
    refresh_token = session.token["refresh_token"]
    with pytest.raises(InvalidGrantError):
        session.fetch_token(token_url, authorization_response=came_back_to, client_secret=SECRET)
    assert session.get(plain.address + COUNT).status_code == 401
    with pytest.raises(InvalidGrantError):
        session.refresh_token(token_url, refresh_token=refresh_token, auth=HTTPBasicAuth("planning", SECRET))
