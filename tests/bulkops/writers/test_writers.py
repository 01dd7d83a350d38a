"""What the writers of many elements do beside the ORM fails as the ORM does."""

import pytest
from django.db import DatabaseError

from account.models import Account
from bulkops.writers.attempts import writer_for


@pytest.mark.contract("B3")
def test_a_failure_of_the_driver_is_one_of_the_database(northwind):
    """A raw error of psycopg or sqlite3 would be answered 500 where 503 is right: on a full disk, for one."""
    writer = writer_for(Account, ["element_id"], northwind)
    with pytest.raises(DatabaseError, match="nowhere"):
        writer.insert("nowhere", ["element_id"], iter([("A",)]))
