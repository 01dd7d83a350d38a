"""What a transaction does at its very end: once, in the transaction, and not at all after a rollback."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import pytest
from django.db import OperationalError, connections, transaction

from dimensions_site.db.transactions import ActsBeforeCommit
from dimensions_site.repositories.models import Repository

pytestmark = pytest.mark.django_db(transaction=True)


def add(db_id: str) -> None:
    Repository.objects.bulk_create([Repository(db_id=db_id, name=db_id)])


@dataclass
class Action:
    """What is done before the commit."""

    place: Callable[[], None]


def at_the_end(name: str, act: Callable[[], None]) -> Action:
    return cast(ActsBeforeCommit, connections["default"]).before_commit(name, lambda: Action(act))


def stored() -> set[str]:
    return set(Repository.objects.values_list("db_id", flat=True))


def test_it_is_done_once_for_each_name_when_all_else_is_done():
    with transaction.atomic():
        first = at_the_end("one", lambda: add("northwind"))
        assert at_the_end("one", lambda: add("northwind")) is first
        with transaction.atomic():
            at_the_end("two", lambda: add("contoso"))
        assert stored() == set()
    assert stored() == {"northwind", "contoso"}
    with transaction.atomic():
        add("third")
    assert stored() == {"northwind", "contoso", "third"}


def test_what_is_undone_does_nothing_at_its_end_and_nothing_later():
    with transaction.atomic():
        at_the_end("one", lambda: add("northwind"))
        transaction.set_rollback(True)
    with transaction.atomic():
        add("contoso")
    assert stored() == {"contoso"}


def test_if_it_fails_nothing_is_saved():
    def write() -> None:
        with transaction.atomic():
            add("northwind")
            at_the_end("one", fail)

    def fail() -> None:
        raise OperationalError("no more")

    with pytest.raises(OperationalError, match="no more"):
        write()
    assert stored() == set()
    add("contoso")
    assert stored() == {"contoso"}
