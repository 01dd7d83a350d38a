"""Tables that Citus distributes by repository (contract P1): what their statements need (developers/sharding.md).

Citus sends a statement to one shard if it names the repository of each of these tables as a constant. PostgreSQL alone
finds the same rows by their keys: a condition on the repository would give its planner the choice to read all of the
repository. So the condition is added only where Citus is.
"""

from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import ForeignKey, QuerySet
from django.db.models.lookups import Exact


def is_sharded() -> bool:
    """Return whether the database has the extension Citus."""
    connection: Any = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        return False
    if connection.has_citus is None:
        connection.ensure_connection()
    return bool(connection.has_citus)


def in_shard(rows: QuerySet[Any], repository: Any) -> QuerySet[Any]:
    """Return the `rows`, all of which are of the `repository`, with that as a condition if it decides the shard.

    `repository` is a primary key or an expression for it.
    """
    return rows.filter(repository=repository) if is_sharded() else rows


def shard_sql(repository: int, table: str) -> str:
    """Return the same condition on the `table` of a statement, to be added to others."""
    return f" AND {table}.repository_id = {repository}" if is_sharded() else ""


def count_each(querysets: Sequence[QuerySet[Any, Any]], limit: int | None) -> list[int]:
    """Return the number of rows of each, counted up to one more than `limit` if there is one, in one query.

    Each is of one repository. A count that refers to the repository of an outer row has no shard.
    """
    if not querysets:
        return []
    bounded = [(rows if limit is None else rows[: limit + 1]).query.sql_with_params() for rows in querysets]
    counts = " UNION ALL ".join(
        f"SELECT {position} AS position, COUNT(*) FROM ({sql}) AS rows" for position, (sql, _) in enumerate(bounded)
    )
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"{counts} ORDER BY position", [value for _, values in bounded for value in values])
        return [count for _, count in cursor.fetchall()]


class ForeignKeyInShard(ForeignKey[Any, Any]):
    """A foreign key to a row of the same repository: where that decides the shard, joins say so."""

    def get_extra_restriction(self, alias: str | None, related_alias: str | None) -> Any:
        if not is_sharded():
            return None
        referred: Any = self.related_model._meta.get_field("repository")
        own: Any = self.model._meta.get_field("repository")
        return Exact(referred.get_col(alias), own.get_col(related_alias))

    def deconstruct(self) -> Any:
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", arguments, options
