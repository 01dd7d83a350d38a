"""Clients and elements for tests."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dimensions_site.elements.dimension import dimension_named
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.account import samples as accounts
from tests.currency import samples as currencies


class Person(Client):
    """A user whose program calls the REST API with an API key; bodies go and come as JSON.

    `user` is the user of the key. Django's own test client signatures stay as they are.
    """

    user: User

    def elements(self, dimension: str, rest: str = "elements", db_id: str = "northwind") -> str:
        """The path of a route of that dimension."""
        return f"/{dimension_named(dimension).prefix}{db_id}/{dimension}/{rest}"

    def currency(self, rest: str = "elements", db_id: str = "northwind") -> str:
        """The path of a currency route."""
        return self.elements("currency", rest, db_id)

    def account(self, rest: str = "elements", db_id: str = "northwind") -> str:
        """The path of an account route."""
        return self.elements("account", rest, db_id)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send `body` as JSON; a text or bytes body is sent as it is."""
        return self.generic(
            method,
            path,
            body if isinstance(body, str | bytes) else json_bytes(body),
            content_type="application/json",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )


def json_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def add_person(
    name: str, repository: Repository | None = None, role: Role | None = None, dimension: str = "all"
) -> Person:
    """A new user of that name with an API key, and with a role in a repository when one is given."""
    user = User.objects.create_user(name, password=f"{name}-password")
    _, key = ApiKey.objects.create_key(user=user, name="test", last_used_at=timezone.now())
    if repository is not None and role is not None:
        AccessGrant.objects.create(user=user, repository=repository, role=role, dimension=dimension)
    client = Person(headers={"x-api-key": key})
    client.user = user
    return client


def currency(id: str = "EUR", **fields: Any) -> dict[str, Any]:
    """A valid currency element as a client sends it."""
    return {
        "id": id,
        "descriptions": {"en": "Euro", "de": "Euro"},
        "decimalNumbers": 2,
        "percentageDifference": "0.0000",
        **fields,
    }


def account(id: str = "1000", **fields: Any) -> dict[str, Any]:
    """A valid account element as a client sends it."""
    return {
        "id": id,
        "descriptions": {"en": "Cash", "de": "Kasse"},
        "nature": "BALANCE_SHEET",
        "type": "NORMAL",
        "conversion": {"conversionType": "FINAL"},
        **fields,
    }


# A valid element of each dimension, and one in which every field is set.
MAKERS: dict[str, Callable[..., dict[str, Any]]] = {"currency": currency, "account": account}
FULLS: dict[str, dict[str, Any]] = {"currency": currencies.FULL, "account": accounts.FULL}


def read(response: Any) -> Any:
    """The JSON of a response, streamed or not."""
    return json.loads(content(response))


def content(response: Any) -> bytes:
    """The bytes of a response, streamed or not."""
    return b"".join(response.streaming_content) if response.streaming else response.content
