"""Whether a replica of the database has all that was written to the elements of a repository.

Each transaction that writes some counts itself in the database, right before it is committed. A replica that has
counted as much as the primary has all of these transactions, whatever it still lacks of others: record 0028.
"""

import threading
from collections.abc import Mapping
from typing import cast

from django.db import DEFAULT_DB_ALIAS, connections

from dimensions_site.databases import REPLICA
from dimensions_site.postgresql.base import DatabaseWrapper

# Rows for each repository. Two transactions that count in the same one commit one after the other.
_SLOTS = 16
_COUNT = (
    "INSERT INTO repositories_writecount (repository_id, slot, writes) VALUES (%s, %s, 1) "
    "ON CONFLICT (repository_id, slot) DO UPDATE SET writes = repositories_writecount.writes + 1"
)
_COUNTED = "SELECT slot, writes FROM repositories_writecount WHERE repository_id = %s"
_IS_COUNTED = (
    "SELECT pg_is_in_recovery() AND NOT EXISTS ("
    "SELECT FROM unnest(%s::smallint[], %s::bigint[]) AS wanted (slot, writes) LEFT JOIN "
    "repositories_writecount AS found ON found.repository_id = %s AND found.slot = wanted.slot "
    "WHERE found.writes IS NULL OR found.writes < wanted.writes)"
)


def has_replica() -> bool:
    """Whether the service has a replica (`REPLICA_URL`)."""
    return REPLICA in connections.settings


def count_write(repository: int) -> None:
    """Count the current transaction, which writes elements of the `repository`, a primary key, when it is committed.

    Without a replica nothing is counted.
    """
    if has_replica():
        connection = cast(DatabaseWrapper, connections[DEFAULT_DB_ALIAS])
        connection.before_commit((count_write, repository), lambda: _count(connection, repository))


def _count(connection: DatabaseWrapper, repository: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [repository, threading.get_native_id() % _SLOTS])


def counted(repository: int) -> Mapping[int, int]:
    """The writes to the `repository` that are committed by now, by the row in which they are counted."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_COUNTED, [repository])
        return dict(cursor.fetchall())


def replica_has(repository: int, writes: Mapping[int, int]) -> bool:
    """Whether the replica has the `writes` that were `counted`; False for a database that is no replica any more.

    It has them in the transaction in which this is asked, too, and in each later one.
    """
    with connections[REPLICA].cursor() as cursor:
        cursor.execute(_IS_COUNTED, [list(writes), list(writes.values()), repository])
        (has,) = cursor.fetchone()
    return bool(has)
