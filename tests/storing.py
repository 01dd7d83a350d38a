"""Store elements in a repository, through the code that saves everything."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.db import connection, transaction

from account.models import ACCOUNT
from bulkops.session.envelope import read_envelope
from bulkops.session.session import save_all
from currency.models import CURRENCY
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.db.transactions import ActsBeforeCommit
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.repositories.models import Repository

# So many are saved faster at once than one by one.
_MANY = 3


@contextmanager
def taken_back() -> Iterator[None]:
    """Whatever is written inside is gone afterwards."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def place_change_sets() -> None:
    """Do what a commit does for the history, where a test runs in a transaction of its own."""
    cast(ActsBeforeCommit, connection).place_pending()


def store_currencies(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(CURRENCY, repository, bodies)


def store_accounts(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(ACCOUNT, repository, bodies)


def _store(dimension: Dimension, repository: Repository, bodies: tuple[Any, ...]) -> None:
    actor = Actor(SYSTEM, Channel.IMPORT)
    if len(bodies) >= _MANY:
        save_all(dimension, repository, actor, read_envelope(bytearray(json.dumps({"post": bodies}).encode())))
        return
    editor = Editor(dimension, repository, actor, allow=lambda _text: None)
    for body in bodies:
        editor.create(body)
