"""PostgreSQL keeps plans of frequent queries on direct connections, and of no others."""

import tracemalloc

import pytest
from django.db import connection, transaction

from tests.factories import account, read

_PIECE = 1024 * 1024
_COUNT = 20


def kept() -> list[str]:
    """The queries that the database keeps for the connection of this test."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements ORDER BY 1")
        return [query for (query,) in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
def test_what_every_request_asks_is_kept_beyond_a_savepoint(alice):
    """After a rollback too, and beyond the end of a bulk save with its temporary tables."""
    connection.close()
    alice.send("POST", alice.account(), account("1000"))
    for _ in range(10):
        assert alice.get(alice.account("elements/1000")).status_code == 200
    before = kept()
    assert any("account_account" in query for query in before)

    with transaction.atomic():
        transaction.savepoint_rollback(transaction.savepoint())
    assert len(read(alice.send("POST", alice.account("elements-bulk"), {"put": [account("1000")]}))) == 1
    assert set(before) <= set(kept())


@pytest.mark.django_db
def test_values_that_were_sent_are_not_remembered():
    """A file goes into the database in pieces; a connection that has seen them would stay as large as they were."""
    connection.ensure_connection()
    tracemalloc.start()
    try:
        for number in range(_COUNT):
            with connection.cursor() as cursor:
                cursor.execute("SELECT length(%s)", [f"{number:04}" * (_PIECE // 4)])
        del cursor
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak > _PIECE
    assert held < _PIECE
