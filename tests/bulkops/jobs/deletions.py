"""Deletions as clients request them, and what their responses say."""

from collections.abc import Iterable
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from bulkops.jobs.claims import Claim, claim_next
from bulkops.models import DataProcessing
from bulkops.worker.tasks import work
from dimensions_site.repositories.models import Repository
from tests.factories import Person, account, currency, read
from tests.services.citus import IS_CITUS
from tests.storing import store_accounts, store_currencies

ASYNC = "elements-bulk-delete-async"


def body(ids: Iterable[str]) -> list[dict[str, str]]:
    return [{"id": id} for id in ids]


def fill(repository: Repository, count: int) -> list[str]:
    """Store that many accounts and as many currencies; return their ids, the same for both."""
    ids = [f"E{number:03}" for number in range(count)]
    store_accounts(repository, *map(account, ids))
    store_currencies(repository, *map(currency, ids))
    return ids


def start(
    person: Person, ids: Iterable[str], dimension: str = "account", db_id: str = "northwind", query: str = ""
) -> str:
    """Request the deletion; return its dataProcessingId."""
    answer = person.send("POST", person.elements(dimension, f"{ASYNC}{query}", db_id), body(ids))
    assert answer.status_code == 202, answer.content
    oid: str = answer.json()["dataProcessingId"]
    return oid


def path(person: Person, oid: str, dimension: str = "account", db_id: str = "northwind") -> str:
    return person.elements(dimension, f"{ASYNC}/{oid}", db_id)


def status_of(person: Person, oid: str, dimension: str = "account") -> dict[str, Any]:
    """Status and counts, as the client reads them."""
    status = read(person.get(path(person, oid, dimension)))
    if dimension == "account":
        (status,) = status
        (status["parameters"],) = status["parameters"]
    return {"status": status["status"], **status["parameters"]}


def claimed(worker: str = "worker") -> Claim:
    """The work that the worker gets, which is there."""
    claim = claim_next(worker)
    assert claim is not None
    return claim


def work_now() -> None:
    """Let a worker poll, pauses between attempts being over."""
    DataProcessing.objects.update(due_at=Now())
    work()


@contextmanager
def undeletable(table: str, id: str):
    """Let the database itself refuse to delete the element `id`."""
    if IS_CITUS:
        pytest.skip("A distributed table has no triggers.")
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                f"CREATE TRIGGER refusal BEFORE DELETE ON {table} WHEN OLD.element_id = '{id}' "
                "BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
        else:
            cursor.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN IF OLD.element_id = '{id}' THEN RAISE EXCEPTION 'refused'; END IF; RETURN OLD; END $$"
            )
            cursor.execute(f"CREATE TRIGGER refusal BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()")
    yield
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DROP TRIGGER refusal")
        else:
            cursor.execute("DROP FUNCTION refuse CASCADE")
