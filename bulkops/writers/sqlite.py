"""Writing many elements into SQLite."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection

from bulkops.writers.writer import Writer


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
