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
from typing import Any, cast

from django.db import DEFAULT_DB_ALIAS, connections
from structlog.contextvars import get_contextvars

from dimensions_site.changes.approvals import Approval, ApprovalRequired
from dimensions_site.changes.models import SLOTS, Channel
from dimensions_site.db.commits import ActsBeforeCommit
from dimensions_site.db.compiled import repeating_cursor
from dimensions_site.db.shards import is_sharded
from dimensions_site.repositories.models import ApprovalSwitch

# The wire has milliseconds. Rounded up, so that what is committed later than an instant is never stored as of it.
_TICK = timedelta(milliseconds=1)
_POSTGRESQL_CLOCK = "date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'"
_LOCK = (
    "INSERT INTO changes_slot (repository_id, dimension, slot) VALUES (%s, %s, %s) "
    "ON CONFLICT (repository_id, dimension, slot) DO UPDATE SET slot = EXCLUDED.slot RETURNING approval"
)


# The name of the command line, which has no user.
SYSTEM = "system"


@dataclass(frozen=True)
class Actor:
    """Who writes, by name; through which channel; in which operation, a job or a plan; and for what reason.

    `key` is the user's primary key, which outlives the name; None for the command line. `approval` is that of the plan
    that is applied, if it has one (contract O2).
    """

    name: str
    channel: Channel
    operation: str | None = None
    reason: str | None = None
    key: int | None = None
    approval: Approval | None = None


@dataclass(frozen=True)
class _Pending:
    """The change set of the current transaction, until it is placed."""

    connection: Any
    versions: str
    repository: int
    dimension: str
    author: Actor
    id: uuid.UUID = field(default_factory=uuid.uuid4)

    def place(self) -> None:
        """Place the change set, unless all of its versions were rolled back.

        Raises `ApprovalRequired` if it needs an approval and its author has none (contract O2). What needs one is read
        from the slot that is locked, so the switch cannot be thrown before the commit.
        """
        is_postgresql, in_citus = self.connection.vendor == "postgresql", is_sharded()
        slot = threading.get_native_id() % SLOTS if is_postgresql else 0
        id = self.stored(self.id)
        place: list[Any] = [self.repository, self.dimension, slot]
        known: list[Any] = [self.author.name, self.author.channel.value, get_contextvars().get("request_id")]
        row = [id, *place, *known, self.author.operation, self.author.reason, *self._evidence()]
        advance, insert = _statements(self.versions, is_postgresql, in_citus)
        own: list[Any] = [self.repository, id] if in_citus else [id]
        with repeating_cursor(self.connection) as cursor:
            if is_postgresql:  # in one round trip
                given, switch = [id], []
                if in_citus:
                    # Lock the slot first: a shard's clock may be behind the one that answers about instants.
                    cursor.execute(_LOCK, place)
                    switch = [*cursor.fetchone()]
                    cursor.execute(f"SELECT {_POSTGRESQL_CLOCK}")
                    given += cursor.fetchone()
                cursor.execute(f"WITH placed AS ({advance}) {insert}", [*place, *given, *own, *row, *own])
                inserted = cursor.fetchone()
                self._check(None if inserted is None else (*inserted, *switch))
                return
            # The transaction has the only lock already, so the time is one of its end.
            now = self.connection.ops.adapt_datetimefield_value(_now())
            cursor.execute(advance, [*place, id, now, id])
            placed = cursor.fetchone()
            if placed is not None:
                cursor.execute(insert, [*row, *placed, id])
                self._check((cursor.fetchone()[0], placed[-1]))

    def _check(self, placed: tuple[int, str] | None) -> None:
        """Raise `ApprovalRequired` unless the change set may be committed; `placed` is its deletions and the switch."""
        if placed is None or self.author.approval is not None:
            return
        deleted, switch = placed[0], ApprovalSwitch(placed[1])
        if switch.requires(deletes=deleted > 0):
            raise ApprovalRequired(switch)

    def _evidence(self) -> list[Any]:
        """Return who proposed and approved the changes, as the columns of a change set (contract O5)."""
        approval = self.author.approval
        if approval is None:
            return [None] * 5
        adapt = self.connection.ops.adapt_datetimefield_value
        proposed_at, approved_at = adapt(approval.proposed_at), adapt(approval.approved_at)
        return [approval.author, proposed_at, approval.approver, approved_at, approval.text]

    def stored(self, id: uuid.UUID) -> uuid.UUID | str:
        return id if self.connection.features.has_native_uuid_field else id.hex


def change_set(versions: str, repository: int, dimension: str, author: Actor) -> uuid.UUID | str:
    """Return the id of the change set of the current transaction, as the database takes it.

    It has what this transaction writes to the table `versions`: those of the `dimension` of the `repository` (a primary
    key). It is placed right before the commit.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    acts = cast(ActsBeforeCommit, connection)
    # What has no approval never shares the change set of what has one.
    whose = (author.name, author.channel, author.operation, author.reason, author.approval)
    name = (change_set, repository, dimension, *whose)
    pending = acts.before_commit(name, lambda: _Pending(connection, versions, repository, dimension, author))
    return pending.stored(pending.id)


def _now() -> datetime:
    now = datetime.now(UTC) + _TICK
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@cache
def _statements(versions: str, is_postgresql: bool, in_citus: bool) -> tuple[str, str]:
    """Return the statement that advances a slot, and the one that inserts a change set at the place it returns."""
    has_clock = is_postgresql and not in_citus
    clock, latest = _POSTGRESQL_CLOCK if has_clock else "%s", "greatest" if is_postgresql else "max"
    # The time in `EXCLUDED` is read before the lock is taken; this one after.
    at = _POSTGRESQL_CLOCK if has_clock else "EXCLUDED.committed_at"
    own = f"FROM {versions} WHERE {'repository_id = %s AND ' if in_citus else ''}change_set_id = %s"
    advance = (
        "INSERT INTO changes_slot (repository_id, dimension, slot, number, last, committed_at, horizon) "
        f"SELECT %s, %s, %s, 1, %s, {clock}, 0 WHERE EXISTS (SELECT 1 {own}) "
        "ON CONFLICT (repository_id, dimension, slot) DO UPDATE SET number = changes_slot.number + 1, "
        f"last = EXCLUDED.last, committed_at = {latest}({at}, coalesce(changes_slot.committed_at, {at})) "
        "RETURNING number, committed_at, changes_slot.approval"
    )
    kinds = ", ".join(f"count(CASE WHEN change = '{kind}' THEN 1 END) AS kind{n}" for n, kind in enumerate("+~-"))
    source = "placed" if is_postgresql else "(SELECT %s AS number, %s AS committed_at, %s AS approval)"
    returned = "deleted, (SELECT approval FROM placed)" if has_clock else "deleted"
    insert = (
        'INSERT INTO changes_changeset (id, repository_id, dimension, slot, "user", channel, request_id, operation, '
        "reason, proposed_by, proposed_at, approved_by, approved_at, approval_text, "
        "number, committed_at, created, changed, deleted) "
        f"SELECT {', '.join(['%s'] * 14)}, number, committed_at, kind0, kind1, kind2 "
        f"FROM {source} AS placed CROSS JOIN (SELECT {kinds} {own}) AS counted "
        f"RETURNING {returned}"
    )
    return advance, insert
