"""Sentences for operators about an unusable database.

Only problems that they can fix get a sentence: the database is unreachable or cannot be opened, or its tables are not
those of this release. For anything else a stack trace says more.
"""

import sqlite3
from contextlib import suppress

from django.db import Error, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

# The number of this release: that of the last migration of the app `releases` (contract P3).
RELEASE = 1
# How many missing migrations are named; a new database lacks dozens.
_NAMED = 3
# PostgreSQL's error codes. Without a connection there is no code, or one of these.
_LOST = ("08", "57P")
_UNKNOWN_TO_SQL, _FORBIDDEN = "42", "42501"


def missing_migrations() -> list[str]:
    """Return the pending migrations, such as `account.0001_initial`, in the order in which `migrate` applies them.

    Raises DatabaseError, InterfaceError.
    """
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def database_release() -> int:
    """Return the number of the newest release that has migrated the database, 0 for none (contract P3).

    Raises DatabaseError, InterfaceError.
    """
    recorded = MigrationRecorder(connection).applied_migrations()
    return max((int(name.partition("_")[0]) for app, name in recorded if app == "releases"), default=0)


def sentence(error: Error, command: str) -> str | None:
    """Return the sentence for the `error` of the database that ended a management command; None for any other error.

    Never advises `migrate` to run `migrate`: if that fails, the migration is the cause.
    """
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the primary code; 0 for an error of Python's driver
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB):
            return f"The database {connection.settings_dict['NAME']} cannot be opened: {_in_one_line(cause)}."
        is_about_tables = code == sqlite3.SQLITE_ERROR
    elif cause is not None and hasattr(cause, "sqlstate"):  # of psycopg, which is not imported for this alone
        state: str = cause.sqlstate or ""
        if state.startswith(_LOST) or (not state and isinstance(error, OperationalError)):
            return f"The database cannot be reached: {_in_one_line(cause)}"
        is_about_tables = state.startswith(_UNKNOWN_TO_SQL) and state != _FORBIDDEN
    else:
        return None
    return _lack() if is_about_tables and command != "migrate" else None


def _in_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _lack() -> str | None:
    missing: list[str] = []
    with suppress(Error):  # then the error that ended the command is more useful
        missing = missing_migrations()
    if not missing:
        return None
    named = missing[:_NAMED]
    if len(missing) > _NAMED:
        named.append(f"and {len(missing) - _NAMED} more")
    noun = "migration" if len(missing) == 1 else "migrations"
    return f"The database lacks {len(missing)} {noun} ({', '.join(named)}): run `manage.py migrate`."
