"""Requests with an Idempotency-Key, and their results."""

import json
from dataclasses import dataclass
from typing import Any

from account.models import Account, AccountVersion, CalculationLogic
from bulkops.models import DataProcessing, DeletionChunk
from currency.models import Currency, CurrencyVersion
from tests.bulkops.jobs.deletions import ASYNC
from tests.factories import MAKERS, Person, content

KEY = "month-end-2026-01"


@dataclass(frozen=True)
class Post:
    """A POST to a route of a dimension, and the expected status."""

    dimension: str
    rest: str
    body: Any
    status: int

    def send(self, person: Person, key: str = KEY, db_id: str = "northwind", **headers: str) -> Any:
        """The response, with its content read; also one of 500 and more."""
        person.raise_request_exception = False
        address = getattr(person, self.dimension)(self.rest, db_id)
        response = person.send("POST", address, self.body, **{"Idempotency_Key": key, **headers})
        response.body = content(response)
        return response

    def __str__(self) -> str:
        return f"{self.dimension} {self.rest} {self.status}{' malformed' if isinstance(self.body, bytes) else ''}"


def _posts(dimension: str) -> list[Post]:
    element = MAKERS[dimension]
    faulty = {**element("faulty"), "descriptions": {}, "surprise": 1}
    new = [element(f"{number}") for number in range(3)]
    routes = [
        ("elements", element("one"), 201),
        ("elements", faulty, 400),
        ("elements", b'{"id": ', 400),
        ("elements-bulk", {"post": new, "put": [element("put")]}, 200),
        ("elements-bulk", {"post": [*new, faulty]}, 400),
        ("elements-bulk", b'{"post": ', 400),
        (ASYNC, [{"id": "one"}, {"id": "gone"}], 202),
        (f"{ASYNC}h", [{"id": "one"}], 202),
        (ASYNC, [{"id": 1}], 400),
    ]
    return [Post(dimension, *route) for route in routes]


POSTS = [*_posts("currency"), *_posts("account")]
# One of each kind that is performed.
CREATE, BULK, DELETION = (
    next(post for post in POSTS if post.dimension == "account" and post.status == status) for status in (201, 200, 202)
)


def received(response: Any) -> tuple[Any, ...]:
    """What the client receives: status, body and the headers about what was done."""
    names = ("Content-Type", "Content-Length", "Location", "ETag", "Preference-Applied")
    return response.status_code, response.body, *(response.get(name) for name in names)


def is_replayed(response: Any) -> bool:
    mark = response.get("Idempotent-Replayed")
    assert mark in (None, "true")
    return mark is not None


def code(response: Any) -> tuple[int, str]:
    """The status and the code of a refusal."""
    assert response["Content-Type"] == "application/problem+json"
    return response.status_code, json.loads(response.body)["code"]


def stored() -> dict[str, int]:
    """The number of rows of everything that requests write."""
    models = (Account, AccountVersion, CalculationLogic, Currency, CurrencyVersion)
    return {model.__name__: model._base_manager.count() for model in (*models, DataProcessing, DeletionChunk)}
