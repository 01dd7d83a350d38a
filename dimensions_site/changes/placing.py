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
from django.utils.translation import gettext as _
from structlog.contextvars import get_contextvars

from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import SLOTS, Channel
from dimensions_site.db.compiled import repeating_cursor
from dimensions_site.db.shards import is_sharded, shard_sql
from dimensions_site.db.transactions import ActsBeforeCommit
from dimensions_site.repositories.models import ApprovalSwitch

# The wire has milliseconds. Rounded up, so that what is committed later than an instant is never stored as of it.
_TICK = timedelta(milliseconds=1)
_POSTGRESQL_CLOCK = "date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'"
_LOCK = (
    "INSERT INTO changes_slot (repository_id, dimension, slot) VALUES (%s, %s, %s) "
    "ON CONFLICT (repository_id, dimension, slot) DO UPDATE SET slot = EXCLUDED.slot "
    "RETURNING number, committed_at, approval"
)
_ADVANCE = (
    "UPDATE changes_slot SET number = %s, committed_at = %s, last = %s "
    "WHERE changes_slot.repository_id = %s AND dimension = %s AND slot = %s"
)
# Citus returns what it inserts only if the table has a name in the statement.
_INSERT = (
    "INSERT INTO changes_changeset AS changes_changeset "
    '(repository_id, id, dimension, slot, "user", channel, request_id, '
    "operation, reason, proposed_by, proposed_at, approved_by, approved_at, approval_text, "
    "number, committed_at, created, changed, deleted)"
)
# What is known before the place, besides the repository.
_KNOWN = ", ".join(["%s"] * 13)
# How many versions of each kind the change set has.
_COUNTS = ", ".join(f"count(CASE WHEN change = '{kind}' THEN 1 END)" for kind in "+~-")


@dataclass(frozen=True)
class Approval:
    """Who proposed the plan with the id `plan`, and who approved it; only `bulkops.plans.deciding` makes one."""

    plan: uuid.UUID
    author: str
    proposed_at: datetime
    approver: str
    approved_at: datetime
    text: str | None


class ApprovalRequired(Problem):
    """The change needs the approval of a second person; nothing was saved."""

    def __init__(self, switch: ApprovalSwitch) -> None:
        if switch is ApprovalSwitch.DELETIONS:
            needs = _("Every deletion here needs the approval of a second person.")
        else:
            needs = _("Every change here needs the approval of a second person.")
        advice = _(
            "Nothing was saved. Make a change proposal (elements-plans), and apply it once another person has approved "
            "it."
        )
        super().__init__(403, code="APPROVAL_REQUIRED", detail=f"{needs} {advice}")


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
        is_postgresql = self.connection.vendor == "postgresql"
        slot = threading.get_native_id() % SLOTS if is_postgresql else 0
        place: list[Any] = [self.repository, self.dimension, slot]
        id = self.stored(self.id)
        known: list[Any] = [id, self.dimension, slot, self.author.name, self.author.channel.value]
        known += [get_contextvars().get("request_id"), self.author.operation, self.author.reason, *self._evidence()]
        with repeating_cursor(self.connection) as cursor:
            if is_postgresql and not is_sharded():  # in one round trip
                cursor.execute(_at_once(self.versions), [*place, id, id, self.repository, *known, id])
                self._check(cursor.fetchone())
                return
            # Statements on one table each, which Citus passes to the shard as they are.
            cursor.execute(_LOCK, place)
            number, latest, switch = cursor.fetchone()
            now = self._now(cursor)
            end = [number + 1, now if latest is None else max(now, latest)]
            own = f"WHERE change_set_id = %s{shard_sql(self.repository, self.versions)} GROUP BY repository_id"
            cursor.execute(f"{_by_itself(self.versions)} {own} RETURNING deleted", [*known, *end, id])
            inserted = cursor.fetchone()
            if inserted is not None:
                cursor.execute(_ADVANCE, [*end, id, *place])
                self._check((*inserted, switch))

    def _now(self, cursor: Any) -> Any:
        """Return the time, as the driver returns that of a slot. Call it once the slot is locked.

        It is that of the coordinator, which answers about instants: a shard's clock may be behind.
        """
        if self.connection.vendor == "postgresql":
            cursor.execute(f"SELECT {_POSTGRESQL_CLOCK}")
            return cursor.fetchone()[0]
        now = datetime.now(UTC) + _TICK
        return now.replace(microsecond=now.microsecond // 1000 * 1000, tzinfo=None)

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
    attribution = (author.name, author.channel, author.operation, author.reason, author.approval)
    name = (change_set, repository, dimension, *attribution)
    pending = acts.before_commit(name, lambda: _Pending(connection, versions, repository, dimension, author))
    return pending.stored(pending.id)


@cache
def _at_once(versions: str) -> str:
    """Return the statement that advances a slot and inserts a change set at that place, if it has `versions`."""
    clock, own = _POSTGRESQL_CLOCK, f"FROM {versions} WHERE change_set_id = %s"
    # The time in `EXCLUDED` is read before the lock is taken; that of the update after.
    return (
        "WITH placed AS ("
        "INSERT INTO changes_slot (repository_id, dimension, slot, number, last, committed_at, horizon) "
        f"SELECT %s, %s, %s, 1, %s, {clock}, 0 WHERE EXISTS (SELECT 1 {own}) "
        "ON CONFLICT (repository_id, dimension, slot) DO UPDATE SET number = changes_slot.number + 1, "
        f"last = EXCLUDED.last, committed_at = greatest({clock}, coalesce(changes_slot.committed_at, {clock})) "
        "RETURNING number, committed_at, changes_slot.approval) "
        f"{_INSERT} SELECT %s, {_KNOWN}, number, committed_at, counted.* "
        f"FROM placed CROSS JOIN (SELECT {_COUNTS} {own}) AS counted RETURNING deleted, (SELECT approval FROM placed)"
    )


@cache
def _by_itself(versions: str) -> str:
    """Return the beginning of the statement that inserts a change set at a place that is known."""
    return f"{_INSERT} SELECT repository_id, {_KNOWN}, %s, %s, {_COUNTS} FROM {versions}"
