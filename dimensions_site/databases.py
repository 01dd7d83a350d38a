"""How the service holds its connections to the database.

`settings.py` reads this module, so nothing here may import Django's models.
"""

from typing import Any

_SQLITE: dict[str, Any] = {
    # A transaction that reads first and writes later would fail with "database is locked" when another one wrote in
    # between; taking the write lock at BEGIN makes it wait instead.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
_POSTGRESQL = (
    # A write that waits longer for others is answered 503, as on SQLite.
    "-c lock_timeout=20s "
    # A client that stops reading a streamed list may not keep a snapshot open for good: PostgreSQL could not clean up
    # behind it. Each chunk that is fetched starts the minute anew.
    "-c idle_in_transaction_session_timeout=60s"
)


def database(address: dict[str, Any]) -> dict[str, Any]:
    """Django's settings of the database at `address`, which are Django's, too, read from its URL.

    What the query of the URL says, `?sslmode=require` for example, is kept and wins.
    """
    asked: dict[str, Any] = address.get("OPTIONS", {})
    if address["ENGINE"] == "django.db.backends.sqlite3":
        options = {**_SQLITE, **asked}
    else:
        options = {**asked, "options": f"{_POSTGRESQL} {asked.get('options', '')}".rstrip()}
    return {**address, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True, "OPTIONS": options}
