"""A person lets a program act for them on the consent page, and the program gets its tokens (RFC 7636)."""

import base64
import hashlib
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.contrib.auth.models import User
from django.test import Client

from tests.dimensions_site.tokens.clients import CALLBACK, ask, planning_tool

VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
PAGE = "/auth/oauth2/authorize"


def signed_in(user: User) -> Client:
    """The browser of the user, who has access to the administration."""
    User.objects.filter(pk=user.pk).update(is_staff=True)
    browser = Client()
    browser.force_login(user)
    return browser


def question(client: tuple[Any, str], **changed: str | None) -> str:
    """The address to which the program sends people."""
    parameters = {
        "response_type": "code",
        "client_id": client[0].client_id,
        "redirect_uri": client[0].redirect_uris.split()[0],
        "scope": "write",
        "state": "s&1",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    } | changed
    return f"{PAGE}?{urlencode({name: value for name, value in parameters.items() if value is not None})}"


def answer_page(browser: Client, address: str, allow: bool = True, **changed: Any) -> Any:
    """Press a button of the page at the address."""
    page = browser.get(address)
    assert page.status_code == 200, page.content
    form = {name: value or "" for name, value in page.context["form"].initial.items()}
    return browser.post(address, {**form, **({"allow": "on"} if allow else {}), **changed})


def redirect_parameters(response: Any) -> dict[str, str]:
    """The parameters that a redirect returns to the program."""
    assert response.status_code == 302
    assert response["Location"].startswith(f"{CALLBACK}?")
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def redeem(client: tuple[Any, str], code: str, **changed: str) -> Any:
    parameters = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
    return ask("token", client, **{**parameters, **changed})


def renewed(client: tuple[Any, str], token: str, **changed: str) -> Any:
    return ask("token", client, grant_type="refresh_token", refresh_token=token, **changed)


def allowed(browser: Client, scope: str = "write") -> tuple[tuple[Any, str], dict[str, str]]:
    """A program, and the tokens that it got from whoever uses the browser."""
    client = planning_tool()
    code = redirect_parameters(answer_page(browser, question(client, scope=scope)))["code"]
    tokens: dict[str, str] = redeem(client, code).json()
    return client, tokens
