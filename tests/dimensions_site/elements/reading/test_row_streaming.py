"""Rows are read while the database still finds them, and nobody waits for a connection in use."""

import pytest
from django.db import InterfaceError, connection, transaction

from account.models import ACCOUNT, Account
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_texts
from dimensions_site.repositories.models import Repository
from tests.bulkops.save.bulk import save
from tests.factories import account

COUNT = 450
NUMBERS = f"WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {COUNT}) SELECT x FROM n"


def test_all_rows_come_in_their_order(db):
    assert [number for (number,) in streamed_rows(connection, NUMBERS, [])] == list(range(1, COUNT + 1))


def test_nothing_comes_of_a_query_that_finds_nothing(db):
    assert list(streamed_rows(connection, f"{NUMBERS} WHERE x < %s", [0])) == []


def test_a_condition_that_nothing_can_meet_asks_nothing(northwind):
    """Django says so instead of making a query."""
    nothing = Account.of(northwind).filter(pk__in=[])
    assert list(read_texts(full_renderer(ACCOUNT, "en"), nothing)) == []


def test_the_connection_is_free_as_soon_as_reading_stops(db):
    rows = streamed_rows(connection, NUMBERS, [])
    assert next(rows) == (1,)
    rows.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 7")
        assert cursor.fetchone() == (7,)


@transaction.atomic
def write_and_fail(northwind: Repository) -> None:
    """The response to a write cannot be stored."""
    Account.of(northwind).update(documentation_link="x")
    for _ in read_texts(full_renderer(ACCOUNT, "en"), Account.of(northwind)):
        raise OSError("The disk is full.")


@pytest.mark.django_db(transaction=True)
def test_an_error_while_rows_are_read_ends_the_transaction(alice, northwind):
    """Its writes are rolled back; nothing waits for the rows that nobody reads any more."""
    save(alice, "account", post=[account(f"{number}") for number in range(COUNT)])
    with pytest.raises(OSError, match="disk"):
        write_and_fail(northwind)
    assert Account.of(northwind).get(element_id="1").documentation_link is None


if connection.vendor == "postgresql":

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("meanwhile", [connection.cursor, transaction.atomic])
    def test_another_query_meanwhile_is_refused_and_does_not_wait(meanwhile):
        """The same thread would wait for itself."""
        rows = streamed_rows(connection, NUMBERS, [])
        next(rows)
        with pytest.raises(InterfaceError, match="still read on this connection"), meanwhile():
            pass
        assert len(list(rows)) == COUNT - 1

    @pytest.mark.django_db(transaction=True)
    def test_rows_of_a_transaction_that_has_ended_do_not_seem_to_be_all():
        with transaction.atomic():
            rows = streamed_rows(connection, NUMBERS, [])
            next(rows)
        with pytest.raises(InterfaceError, match="ended before all rows were read"):
            list(rows)

    def test_an_error_in_a_block_of_a_transaction_leaves_the_transaction_usable(alice, northwind):
        save(alice, "account", post=[account(f"{number}") for number in range(COUNT)])
        with pytest.raises(OSError, match="disk"):
            write_and_fail(northwind)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 7")
            assert cursor.fetchone() == (7,)
