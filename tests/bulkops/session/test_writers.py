"""The writers of many elements, which bypass the ORM, raise the ORM's errors."""

import pytest
from django.db import DatabaseError

from bulkops.session.databases import insert_rows


@pytest.mark.contract("B3")
def test_a_failure_of_the_driver_is_one_of_the_database(db):
    """A raw error of psycopg or sqlite3 would be 500 where 503 is right, for example on a full disk."""
    with pytest.raises(DatabaseError, match="nowhere"):
        insert_rows("nowhere", ["element_id"], iter([("A",)]))
