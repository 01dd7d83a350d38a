"""What an operator is told when a command fails because of the database itself: a sentence, not a stack trace.

Only of what he can mend: the database cannot be reached or opened, or has not the tables of this release. A stack trace
tells more of everything else.
"""

import sqlite3
from contextlib import suppress

from django.db import Error, OperationalError, connection

from dimensions_site.missing_migrations import missing_migrations

# How many missing migrations are named; a database without tables lacks dozens.
_NAMED = 3
# PostgreSQL tells by a code what has failed. Where there is no connection, or no more, there is none, or one of these.
_LOST = ("08", "57P")
_UNKNOWN_TO_SQL, _FORBIDDEN = "42", "42501"


def sentence(error: Error, command: str) -> str | None:
    """The sentence for an `error` of the database at which a management command has ended; None for any other error.

    `migrate` is never told to run `migrate`: what fails in it is the migration.
    """
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        code = _primary(cause)
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB):
            return f"The database {connection.settings_dict['NAME']} cannot be opened: {_in_one_line(cause)}."
        is_about_tables = code == sqlite3.SQLITE_ERROR
    elif cause is not None and hasattr(cause, "sqlstate"):  # of psycopg, which is not loaded for this alone
        state: str = cause.sqlstate or ""
        if state.startswith(_LOST) or (not state and isinstance(error, OperationalError)):
            return f"The database cannot be reached: {_in_one_line(cause)}"
        is_about_tables = state.startswith(_UNKNOWN_TO_SQL) and state != _FORBIDDEN
    else:
        return None
    return _lack() if is_about_tables and command != "migrate" else None


def _primary(error: sqlite3.Error) -> int:
    """What has failed, without the details that SQLite adds in higher bits; 0 when Python itself has complained."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _in_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _lack() -> str | None:
    missing: list[str] = []
    with suppress(Error):  # then the error at which the command has ended tells more
        missing = missing_migrations()
    if not missing:
        return None
    named = missing[:_NAMED]
    if len(missing) > _NAMED:
        named.append(f"and {len(missing) - _NAMED} more")
    noun = "migration" if len(missing) == 1 else "migrations"
    return f"The database lacks {len(missing)} {noun} ({', '.join(named)}): run `manage.py migrate`."
