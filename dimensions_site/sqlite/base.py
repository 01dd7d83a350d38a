"""Django's way to SQLite, on which nobody who only reads waits for the one who writes."""

import sqlite3
from contextlib import closing

from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.features import DatabaseFeatures
from django.utils.functional import cached_property


class Features(DatabaseFeatures):
    """What SQLite can, found out beside the database.

    Django asks in a transaction, before the first query with JSON, and every transaction takes the lock of the one
    writer here (`databases.py`). So a new process would wait for whoever writes before it reads, and after twenty
    seconds take SQLite for one without JSON, until its end.
    """

    @cached_property
    def supports_json_field(self) -> bool:  # type: ignore[override]
        """Whether SQLite was built with its functions for JSON."""
        with closing(sqlite3.connect(":memory:")) as nowhere:
            try:
                nowhere.execute("SELECT JSON('{}')")
            except sqlite3.OperationalError:
                return False
        return True


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to a file of SQLite."""

    features_class = Features
