"""What a call costs in queries."""

from django.test.utils import CaptureQueriesContext

# What opens and closes a transaction, and on SQLite sets for how long it waits.
_AROUND = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "PRAGMA busy_timeout")


def statements(queries: CaptureQueriesContext) -> list[str]:
    """Return the captured statements, but for those around a transaction."""
    return [query["sql"] for query in queries if not query["sql"].startswith(_AROUND)]
