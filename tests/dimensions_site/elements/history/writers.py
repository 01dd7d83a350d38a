"""Transactions that a test opens, writes in, places and ends one step at a time, each on a connection of its own."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar, cast

from django.db import connection, transaction

from account.models import ACCOUNT, Account
from dimensions_site.changes.models import SLOTS, Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.db.transactions import ActsBeforeCommit
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.elements.writing.saving import delete
from dimensions_site.repositories.models import Repository
from tests.factories import account

T = TypeVar("T")
ACTOR = Actor(SYSTEM, Channel.REST)


class Writer:
    """One thread with one connection. `slot` is the one in which its change sets are placed."""

    def __init__(self, repository: Repository) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._repository = repository
        self._block: Any = None
        self.slot = self.do(threading.get_native_id) % SLOTS if connection.vendor == "postgresql" else 0

    def do(self, act: Callable[..., T], *arguments: Any) -> T:
        """Return what `act` returns in the thread."""
        return self._thread.submit(act, *arguments).result(timeout=60)

    def begin(self) -> None:
        self._block = transaction.atomic()
        self.do(self._block.__enter__)

    def save(self, *ids: str, mark: str) -> None:
        """Create the accounts, or change them."""
        editor = Editor(ACCOUNT, self._repository, ACTOR, allow=lambda _text: None)
        for id in ids:
            self.do(editor.replace, id, account(id, documentationLink=mark))

    def save_and_undo(self, id: str) -> None:
        """Create the account and roll back to a savepoint before that."""

        def undone() -> None:
            with transaction.atomic():
                Editor(ACCOUNT, self._repository, ACTOR, allow=lambda _text: None).replace(id, account(id))
                transaction.set_rollback(True)

        self.do(undone)

    def delete(self, id: str) -> None:
        self.do(lambda: delete(Account.of(self._repository).filter(element_id=id), self._repository, ACTOR))

    def place(self) -> None:
        """Do what comes right before the commit: the change set gets its number, and the slot is locked."""
        self.do(lambda: cast(ActsBeforeCommit, connection).place_pending())

    def commit(self) -> None:
        """End the transaction."""
        self.do(self._block.__exit__, None, None, None)

    def roll_back(self) -> None:
        self.do(transaction.set_rollback, True)
        self.commit()

    def end(self) -> None:
        self.do(lambda: connection.close())
        self._thread.shutdown()


@contextmanager
def writers(repository: Repository, count: int) -> Iterator[list[Writer]]:
    """That many writers; on PostgreSQL two of them share a slot."""
    with ExitStack() as stack:
        # Of one more than there are slots, two are in the same.
        made = [Writer(repository) for _ in range(SLOTS + 1)]
        for writer in made:
            stack.callback(writer.end)
        slots = [writer.slot for writer in made]
        made.sort(key=lambda writer: (-slots.count(writer.slot), writer.slot))
        yield made[:count]
