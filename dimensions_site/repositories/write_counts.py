"""Whether a replica has received all committed writes to the elements of a repository.

Each transaction that writes elements increments a counter in the database right before its commit. A replica whose
counters are as high as those of the primary has all of these transactions (record 0028).
"""

import threading
from collections.abc import Mapping
from typing import cast

from django.db import DEFAULT_DB_ALIAS, connections

from dimensions_site.db.postgresql.base import DatabaseWrapper

# The name of the streaming replica in DATABASES, if there is one.
REPLICA = "replica"
# Rows per repository. Two transactions that count in the same one commit one after the other.
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
    """Return whether the service has a replica (`REPLICA_URL`)."""
    return REPLICA in connections.settings


def count_write(repository: int) -> None:
    """Count the current transaction, which writes elements of the `repository` (a primary key), when it commits.

    Without a replica nothing is counted.
    """
    if has_replica():
        connection = cast(DatabaseWrapper, connections[DEFAULT_DB_ALIAS])
        connection.before_commit((count_write, repository), lambda: _count(connection, repository))


def _count(connection: DatabaseWrapper, repository: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [repository, threading.get_native_id() % _SLOTS])


def counted(repository: int) -> Mapping[int, int]:
    """Return the number of committed writes to the `repository`, by counter row."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_COUNTED, [repository])
        return dict(cursor.fetchall())


def replica_has(repository: int, writes: Mapping[int, int]) -> bool:
    """Return whether the replica has the `writes` that `counted` returned; False for a database that is no longer a
    replica.

    It then has them in the transaction of this query, and in every later one.
    """
    with connections[REPLICA].cursor() as cursor:
        cursor.execute(_IS_COUNTED, [list(writes), list(writes.values()), repository])
        (has,) = cursor.fetchone()
    return bool(has)
