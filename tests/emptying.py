"""How the database is emptied after a test with transactions of its own."""

from functools import cache
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

# `migrate` fills these, and no test changes them.
_KEPT = (ContentType._meta.db_table, Permission._meta.db_table)
# That many deleted rows would slow down later tests on PostgreSQL, and change its plans.
_MANY = 1_000


def empty_quickly() -> None:
    """Delete the rows that are there, where Django truncates all tables and makes each permission again.

    That takes longer than most tests do.
    """
    # Django's own, which calls no other way of emptying a database.
    test_case: Any = TransactionTestCase
    flush = test_case._fixture_teardown
    # By database, how many rows the kept tables have after a flush of Django's, with which each process begins.
    expected: dict[str, list[int]] = {}

    def empty(self: Any) -> None:
        for name in self._databases_names(include_mirrors=False):
            if expected.get(name) != _kept_rows(connections[name]):
                flush(self)
                expected[name] = _kept_rows(connections[name])
            else:
                _delete_rows(connections[name])

    test_case._fixture_teardown = empty


def _kept_rows(connection: BaseDatabaseWrapper) -> list[int]:
    with connection.cursor() as cursor:
        counts = []
        for table in _KEPT:
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
            counts += [row[0] for row in cursor.fetchall()]
        return counts


def _delete_rows(connection: BaseDatabaseWrapper) -> None:
    filled, large = _filled(connection.alias), []
    # References are checked when the transaction ends.
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(filled)
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table}")
            if cursor.rowcount > _MANY:
                large.append(table)
    if large and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM {', '.join(large)}")


@cache
def _filled(alias: str) -> str:
    """Return the query for the tables that have rows; the names are quoted."""
    connection = connections[alias]
    tables = {*connection.introspection.django_table_names(only_existing=True, include_views=False)} - {*_KEPT}
    quoted = map(connection.ops.quote_name, sorted(tables))
    return " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in quoted)
