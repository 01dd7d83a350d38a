"""What differs between the databases when many elements are written."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from dimensions_site.db.shards import is_sharded
from dimensions_site.elements.models import Element


def _is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def execute(sql: str, parameters: Iterable[Any] = ()) -> None:
    """Execute the statement `sql`."""
    with connection.cursor() as cursor:
        cursor.execute(sql, list(parameters))


def fetch(sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
    """Return the rows of the query `sql`."""
    with connection.cursor() as cursor:
        cursor.execute(sql, list(parameters))
        return list(cursor.fetchall())


@contextmanager
def temporary_tables(names: Sequence[str]) -> Iterator[None]:
    """Let the block make temporary tables with these `names`, which end with it."""
    if _is_postgresql():
        # Behind a connection pool, a temporary table is available only in the transaction that made it.
        with transaction.atomic():
            _drop(names)
            yield
        return
    # Not in a transaction, which would block all other writers while the request is checked.
    connection.ensure_connection()
    connection.connection.create_function("json_differs", 2, _json_differs, deterministic=True)
    _drop(names)
    try:
        yield
    finally:
        _drop(names)


def _drop(names: Iterable[str]) -> None:
    for name in names:
        execute(f"DROP TABLE IF EXISTS {name}")


def create_table(name: str, query: str) -> None:
    """Make the temporary table with the rows of the `query`."""
    execute(f"CREATE TEMPORARY TABLE {name} {'ON COMMIT DROP' if _is_postgresql() else ''} AS {query}")


def insert_rows(table: str, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    """Insert `rows` into the table in the fastest way that the database has."""
    names = ", ".join(map(connection.ops.quote_name, columns))
    # The drivers' own methods, which raise the drivers' errors instead of Django's.
    if _is_postgresql():
        # Many times faster than INSERT.
        with (
            connection.cursor() as cursor,
            connection.wrap_database_errors,
            cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)
        return
    marks = ", ".join("?" * len(columns))
    with connection.cursor() as cursor:
        # Without BEGIN only the temporary table is locked.
        cursor.execute("SAVEPOINT bulk_stage")
        try:
            with connection.wrap_database_errors:
                connection.connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)
        finally:
            cursor.execute("RELEASE bulk_stage")


def lock_rows(sql: str) -> None:
    """Lock the rows of the table `stored` that the query `sql` selects; on SQLite, a transaction that writes is
    alone.
    """
    if _is_postgresql():
        locking = f"{sql} FOR UPDATE OF stored"
        # Citus locks for the statement itself only.
        execute(locking if is_sharded() else f"SELECT count(*) FROM ({locking}) AS locked")


def new_key_sql(model: type[Element]) -> str:
    """Return the primary key of a new element as SQL; NULL if the database assigns it at the insertion."""
    if _is_postgresql():
        return f"nextval((SELECT pg_get_serial_sequence('{model._meta.db_table}', 'id')::regclass))"
    return "NULL"


def lacks_sql(stored: str, staged: str) -> str:
    """Return the condition that a stored map has entries that a staged one lacks, where both are not null."""
    if _is_postgresql():
        return f"NOT jsonb_exists_all({staged}, ARRAY(SELECT jsonb_object_keys({stored})))"
    keys = f"SELECT key FROM json_each({stored}) EXCEPT SELECT key FROM json_each({staged})"
    return f"({staged} IS NOT NULL AND EXISTS ({keys}))"


def differ_sql(stored: str, staged: str, *, is_json: bool) -> str:
    """Return the condition that two columns have different values; null equals null."""
    if _is_postgresql():
        return f"{stored} IS DISTINCT FROM {staged}"
    # JSON is stored as text, which may differ where the values do not.
    return f"({stored} IS NOT {staged}{f' AND json_differs({stored}, {staged})' if is_json else ''})"


def _json_differs(one: str | None, other: str | None) -> bool:
    return one is None or other is None or json.loads(one) != json.loads(other)
