"""What is left in the database between two transactions: nothing, because a pool may switch connections."""

import pytest
from django.db import connection, transaction

from dimensions_site.repositories.models import Repository

ROWS = 3


def kept() -> int:
    """The number of cursors that the connection has in the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors WHERE name <> ''")
        (count,) = cursor.fetchone()
    return int(count)


@pytest.fixture
def repositories(transactional_db: None) -> None:
    Repository.objects.bulk_create(Repository(db_id=f"r{number}", name="R") for number in range(ROWS))


@pytest.mark.usefixtures("repositories")
def test_outside_of_a_transaction_no_cursor_stays_in_the_database():
    """As in a form of the administration, which queries the choices of a field while it is rendered."""
    rows = Repository.objects.iterator(chunk_size=1)
    next(rows)
    assert kept() == 0
    assert len(list(rows)) == ROWS - 1


@pytest.mark.contract("D7")
@pytest.mark.usefixtures("repositories")
def test_inside_of_a_transaction_rows_stay_in_the_database():
    """Otherwise a list of 100,000 elements would be in memory."""
    with transaction.atomic():
        rows = Repository.objects.iterator(chunk_size=1)
        next(rows)
        assert kept() == 1
        assert len(list(rows)) == ROWS - 1
    assert kept() == 0
