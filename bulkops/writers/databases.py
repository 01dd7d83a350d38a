"""The writers of many elements into each database."""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.db import connection, transaction

from bulkops.writers.writer import Writer
from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository


class SQLiteWriter(Writer):
    """Stages rows outside of a transaction, which would block all other writers while the request is checked."""

    new_key = "NULL"

    def add_new_keys(self) -> None:
        self._execute(
            f"UPDATE bulk_plan SET target = stored.id FROM {self._table} AS stored "
            "WHERE is_new AND stored.repository_id = %s AND stored.element_id = bulk_plan.element_id",
            [self._repository.pk],
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        connection.ensure_connection()
        connection.connection.create_function("json_differs", 2, _json_differs, deterministic=True)
        try:
            yield
        finally:
            self.drop_tables()

    def insert(self, table: str, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
        names = ", ".join(map(connection.ops.quote_name, columns))
        marks = ", ".join("?" * len(columns))
        instants = [position for position, column in enumerate(columns) if column in self.instants]
        with connection.cursor() as cursor:
            # Without BEGIN only the temporary table is locked.
            cursor.execute("SAVEPOINT bulk_stage")
            try:
                # The driver's own method: Django's would translate the statement each time.
                with connection.wrap_database_errors:
                    connection.connection.executemany(
                        f"INSERT INTO {table} ({names}) VALUES ({marks})", (_adapted(row, instants) for row in rows)
                    )
            finally:
                cursor.execute("RELEASE bulk_stage")

    def lock(self, sql: str) -> None:
        """Do nothing, because a transaction that writes is alone."""

    def lacks(self, stored: str, staged: str) -> str:
        keys = f"SELECT key FROM json_each({stored}) EXCEPT SELECT key FROM json_each({staged})"
        return f"({staged} IS NOT NULL AND EXISTS ({keys}))"

    def differ(self, stored: str, staged: str, *, is_json: bool) -> str:
        different = f"{stored} IS NOT {staged}"
        # JSON is stored as text, which may differ where the values do not.
        return f"({different} AND json_differs({stored}, {staged}))" if is_json else different


def _json_differs(one: str | None, other: str | None) -> bool:
    return one is None or other is None or json.loads(one) != json.loads(other)


def _adapted(row: Sequence[Any], instants: Sequence[int]) -> Sequence[Any]:
    """Return the row with its timestamps as Django writes them into SQLite."""
    if not instants:
        return row
    values = list(row)
    for position in instants:
        values[position] = connection.ops.adapt_datetimefield_value(values[position])
    return values


class PostgreSQLWriter(Writer):
    """Stages rows by COPY, many times faster than INSERT."""

    lifetime = "ON COMMIT DROP"

    @property
    def new_key(self) -> str:
        table = self._model._meta.db_table
        return f"nextval((SELECT pg_get_serial_sequence('{table}', 'id')::regclass))"

    def add_new_keys(self) -> None:
        """Do nothing, because the plan has assigned the keys."""

    def transaction(self) -> AbstractContextManager[Any]:
        # Behind a connection pool, a temporary table is available only in the transaction that made it.
        return transaction.atomic()

    def insert(self, table: str, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
        names = ", ".join(map(connection.ops.quote_name, columns))
        # The driver's own method, which raises the driver's errors instead of Django's.
        with (
            connection.cursor() as cursor,
            connection.wrap_database_errors,
            cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def lock(self, sql: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM ({sql} FOR UPDATE OF stored) AS locked")

    def plan(self) -> None:
        super().plan()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE bulk_plan")

    def lacks(self, stored: str, staged: str) -> str:
        return f"NOT jsonb_exists_all({staged}, ARRAY(SELECT jsonb_object_keys({stored})))"

    def differ(self, stored: str, staged: str, *, is_json: bool) -> str:
        return f"{stored} IS DISTINCT FROM {staged}"


def writer_for(model: type[Element], columns: Sequence[str], repository: Repository) -> Writer:
    """Return the writer of `columns` of a dimension's `model` into the `repository`."""
    kind = PostgreSQLWriter if connection.vendor == "postgresql" else SQLiteWriter
    return kind(model, columns, repository)
