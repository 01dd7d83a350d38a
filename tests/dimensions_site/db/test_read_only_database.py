"""A database that accepts no writes: a standby after a fail-over, or one whose provider has found its disk full."""

from contextlib import contextmanager

import pytest
from django.db import connection

from dimensions_site.repositories.models import ApiKey
from tests.bulkops.save.bulk import path
from tests.factories import MAKERS


@contextmanager
def read_only():
    """This connection cannot write."""
    on, off = {
        "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
        "postgresql": ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off"),
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(on)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(off)


@pytest.mark.contract("B3")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("dimension", MAKERS)
def test_reads_are_answered_and_writes_are_worth_another_try(alice, dimension):
    """Also when the use of the key would have to be stored; a write is 503 with `Retry-After`, and never 500."""
    element = MAKERS[dimension]("A")
    one, many = path(alice, dimension, "elements/A"), path(alice, dimension, "elements")
    deletions = path(alice, dimension, "elements-bulk-delete-async")
    assert alice.send("POST", many, element).status_code == 201
    ApiKey.objects.update(last_used_at=None)
    alice.raise_request_exception = False
    with read_only():
        assert alice.get(one).status_code == 200
        assert alice.get(many).status_code == 200
        answers = [
            alice.send("POST", many, MAKERS[dimension]("B")),
            alice.send("PUT", one, element),
            alice.send("PATCH", one, {"descriptions": {"fr": "A"}}),
            alice.send("POST", f"{many}-bulk", {"put": [element]}),
            alice.send("POST", deletions, [{"id": "A"}]),
        ]
    assert [(answer.status_code, answer.headers.get("Retry-After")) for answer in answers] == [(503, "5")] * 5
    assert {answer.json()["code"] for answer in answers} == {"DATABASE_UNAVAILABLE"}
    assert alice.send("PUT", one, element).status_code == 200
