"""How the service holds its connections to the database.

`settings.py` reads this module, so nothing here may import Django's models.
"""

from collections.abc import Mapping
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
    # What has stopped in the middle of a transaction may not keep its locks and its snapshot for good.
    "-c idle_in_transaction_session_timeout=60s "
    # A host that is cut off says nothing any more: what it has locked is free again after half a minute, or a minute
    # when something was on its way. The latter also ends a query whose rows nobody takes for a minute.
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=60s"
)
# The same from this side, when the host of the database is cut off: in seconds, and the last in milliseconds.
_PATIENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 60_000,
}

# The name of the streaming replica among Django's databases, where there is one.
REPLICA = "replica"
# A replica that does not answer is done without, so nobody waits for it long.
_IMPATIENCE = {
    "connect_timeout": 2,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}


def database(address: dict[str, Any], patience: Mapping[str, int] = _PATIENCE) -> dict[str, Any]:
    """Django's settings of the database at `address`, which are Django's, too, read from its URL.

    Whoever connects to PostgreSQL waits with so much `patience` for a host that says nothing. What the query of the URL
    says, `?sslmode=require` for example, is kept and wins.
    """
    asked: dict[str, Any] = address.get("OPTIONS", {})
    if address["ENGINE"] == "django.db.backends.sqlite3":
        options = {**_SQLITE, **asked}
        address = {**address, "ENGINE": "dimensions_site.sqlite"}
    else:
        options = {**patience, **asked, "options": f"{_POSTGRESQL} {asked.get('options', '')}".rstrip()}
        address = {**address, "ENGINE": "dimensions_site.postgresql"}
    return {**address, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True, "OPTIONS": options}


def databases(primary: dict[str, Any], replica: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Django's settings of the database at the address `primary`, and of a `replica` of it, if there is one."""
    known = {"default": database(primary)}
    if replica is not None:
        # Whether it answers is seen when it is asked; else each read would ask it twice.
        known[REPLICA] = {**database(replica, _IMPATIENCE), "CONN_HEALTH_CHECKS": False}
    return known
