"""Placing change sets in the order of commits (contract I1, I4; design/history.md).

A transaction that writes elements gets its change set right before its commit: it increments the number of one of
several slots, and keeps the lock on that slot until the commit. So the change sets of a slot become visible in the
order of their numbers, and the numbers of all slots at one moment say exactly which transactions had committed by then.
Timestamps and sequences cannot say that, because a transaction may commit after another that began later.
"""

import threading
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Protocol, cast

from django.db import DEFAULT_DB_ALIAS, connections
from structlog.contextvars import get_contextvars

from dimensions_site.changes.models import Channel
from dimensions_site.db.commits import ActsBeforeCommit
from dimensions_site.db.compiled import repeating_cursor

# Slots per dimension of a repository. Two transactions in the same one commit one after the other.
SLOTS = 16
# The wire has milliseconds. Rounded up, so that what is committed later than an instant is never stored as of it.
_TICK = timedelta(milliseconds=1)
_POSTGRESQL_CLOCK = "date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'"


class Author(Protocol):
    """Who writes, through what, and why."""

    @property
    def name(self) -> str: ...
    @property
    def channel(self) -> Channel: ...
    @property
    def operation(self) -> str | None: ...
    @property
    def reason(self) -> str | None: ...


@dataclass(frozen=True)
class _Pending:
    """The change set of the current transaction, until it is placed."""

    connection: Any
    versions: str
    repository: int
    dimension: str
    author: Author
    id: uuid.UUID = field(default_factory=uuid.uuid4)

    def place(self) -> None:
        """Place the change set, unless all of its versions were rolled back."""
        is_postgresql = self.connection.vendor == "postgresql"
        slot = threading.get_native_id() % SLOTS if is_postgresql else 0
        id = self.stored(self.id)
        place: list[Any] = [self.repository, self.dimension, slot]
        known: list[Any] = [self.author.name, self.author.channel.value, get_contextvars().get("request_id")]
        row = [id, *place, *known, self.author.operation, self.author.reason]
        advance, insert = _statements(self.versions, is_postgresql)
        with repeating_cursor(self.connection) as cursor:
            if is_postgresql:  # in one round trip
                cursor.execute(f"WITH placed AS ({advance}) {insert}", [*place, id, id, *row, id])
                return
            # The transaction has the only lock already, so the time is one of its end.
            now = self.connection.ops.adapt_datetimefield_value(_now())
            cursor.execute(advance, [*place, id, now, id])
            placed = cursor.fetchone()
            if placed is not None:
                cursor.execute(insert, [*row, *placed, id])

    def stored(self, id: uuid.UUID) -> uuid.UUID | str:
        """Return the `id` as the database takes it."""
        return id if self.connection.features.has_native_uuid_field else id.hex


def change_set(versions: str, repository: int, dimension: str, author: Author) -> uuid.UUID | str:
    """Return the id of the change set of the current transaction, as the database takes it.

    It has what this transaction writes to the table `versions`: those of the `dimension` of the `repository` (a primary
    key). It is placed right before the commit.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    acts = cast(ActsBeforeCommit, connection)
    name = (change_set, repository, dimension, author.name, author.channel, author.operation, author.reason)
    pending = acts.before_commit(name, lambda: _Pending(connection, versions, repository, dimension, author))
    return pending.stored(pending.id)


def _now() -> datetime:
    now = datetime.now(UTC) + _TICK
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@cache
def _statements(versions: str, is_postgresql: bool) -> tuple[str, str]:
    """Return the statement that advances a slot, and the one that inserts a change set at the place it returns."""
    clock, latest = (_POSTGRESQL_CLOCK, "greatest") if is_postgresql else ("%s", "max")
    # The time in `EXCLUDED` is read before the lock is taken; this one after.
    at = _POSTGRESQL_CLOCK if is_postgresql else "EXCLUDED.committed_at"
    advance = (
        "INSERT INTO changes_slot (repository_id, dimension, slot, number, last, committed_at, horizon) "
        f"SELECT %s, %s, %s, 1, %s, {clock}, 0 WHERE EXISTS (SELECT 1 FROM {versions} WHERE change_set_id = %s) "
        "ON CONFLICT (repository_id, dimension, slot) DO UPDATE SET number = changes_slot.number + 1, "
        f"last = EXCLUDED.last, committed_at = {latest}({at}, coalesce(changes_slot.committed_at, {at})) "
        "RETURNING number, committed_at"
    )
    kinds = ", ".join(f"count(CASE WHEN change = '{kind}' THEN 1 END) AS kind{n}" for n, kind in enumerate("+~-"))
    source = "placed" if is_postgresql else "(SELECT %s AS number, %s AS committed_at)"
    insert = (
        'INSERT INTO changes_changeset (id, repository_id, dimension, slot, "user", channel, request_id, operation, '
        "reason, number, committed_at, created, changed, deleted) "
        "SELECT %s, %s, %s, %s, %s, %s, %s, %s, %s, number, committed_at, kind0, kind1, kind2 "
        f"FROM {source} AS placed CROSS JOIN (SELECT {kinds} FROM {versions} WHERE change_set_id = %s) AS counted"
    )
    return advance, insert
