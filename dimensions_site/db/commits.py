"""Actions right before a commit, on both databases (design/history.md)."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from django.db.backends.base.base import BaseDatabaseWrapper

P = TypeVar("P")


class ActsBeforeCommit(BaseDatabaseWrapper):
    """A connection that does, right before the current transaction commits, what was left for that moment.

    Locks that are taken then are held only briefly. What is done may only query the database; for anything else use
    `on_commit`. What it raises ends the transaction. A rollback discards it, a rollback to a savepoint does not.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pending: dict[Hashable, Any] = {}

    def before_commit(self, name: Hashable, make: Callable[[], P]) -> P:
        """Return what will be placed by its method `place` under the `name`: what `make` made at the first call."""
        if name not in self._pending:
            self._pending[name] = make()
        pending: P = self._pending[name]
        return pending

    def place_pending(self) -> None:
        """Do what was left for the commit."""
        while self._pending:
            self._pending.pop(next(iter(self._pending))).place()

    def commit(self) -> None:
        try:
            self.place_pending()
        except BaseException:
            # Django itself rolls back after errors of the database only.
            self.rollback()
            raise
        super().commit()

    def rollback(self) -> None:
        self._pending.clear()
        super().rollback()

    def close(self) -> None:
        self._pending.clear()
        super().close()
