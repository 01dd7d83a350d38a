"""Programs that get tokens, and call with them."""

import base64
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.test import Client

from dimensions_site.tokens.models import Application
from tests.factories import Person, json_bytes

FORM = "application/x-www-form-urlencoded"
CALLBACK = "https://planning.example/callback"


def with_token(token: str) -> Person:
    """A program with the bearer token."""
    return Person(headers={"authorization": f"Bearer {token}"})


def status_of(token: str, path: str = "elements-count") -> int:
    """The status of the answer to a call about currencies with that token."""
    program = with_token(token)
    status: int = program.get(program.currency(path)).status_code
    return status


def post_json(path: str, body: Any) -> Any:
    return Client().post(path, json_bytes(body), content_type="application/json")


def log_in(username: str, password: str) -> Any:
    return post_json("/auth/jwt/token", {"username": username, "password": password})


def tokens_of(username: str) -> dict[str, str]:
    """The tokens of a login of one of our people."""
    tokens: dict[str, str] = log_in(username, f"{username}-password").json()
    return tokens


def renew(token: str) -> Any:
    return post_json("/auth/jwt/refresh", {"refresh": token})


def service(user: User, **fields: Any) -> tuple[Application, str]:
    """An application that acts as the user, and its secret."""
    fields = {"name": "Data warehouse", "authorization_grant_type": "client-credentials", "user": user} | fields
    return _stored(Application(**fields))


def planning_tool(**fields: Any) -> tuple[Application, str]:
    """An application that acts for whoever signs in, and its secret."""
    fields = {"name": "Planning", "authorization_grant_type": "authorization-code", "redirect_uris": CALLBACK} | fields
    return _stored(Application(**fields))


def _stored(application: Application) -> tuple[Application, str]:
    application.full_clean()
    secret: str = application.client_secret
    application.save()
    return application, secret


def basic(name: str, secret: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()


def ask(path: str, client: tuple[Application, str] | None, **parameters: str) -> Any:
    """Send a form to one of the addresses of OAuth2, with the credentials of the application."""
    headers = {"authorization": basic(client[0].client_id, client[1])} if client else {}
    return Client().post(f"/auth/oauth2/{path}", urlencode(parameters), content_type=FORM, headers=headers)


def access_token(client: tuple[Application, str], scope: str = "read") -> str:
    """A token with which the application acts as its user."""
    token: str = ask("token", client, grant_type="client_credentials", scope=scope).json()["access_token"]
    return token
