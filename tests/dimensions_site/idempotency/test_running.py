"""While the first request with a key is running, another one gets an error that says so."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from bulkops.rest.views import BulkViewSet
from dimensions_site.elements.writing.locking import writing_many
from dimensions_site.idempotency import views
from dimensions_site.idempotency.answers import keep
from tests.beside import beside
from tests.dimensions_site.idempotency.posts import (
    BULK,
    CREATE,
    DELETION,
    KEY,
    code,
    is_replayed,
    received,
    stored,
)

pytestmark = pytest.mark.django_db(transaction=True)

IN_USE = (409, "IDEMPOTENCY_KEY_IN_USE")
each = pytest.mark.parametrize("post", [CREATE, BULK, DELETION], ids=str)


class Door:
    """Stop the first request when it has done everything and before it commits, until it may continue."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.is_broken = False

    def pass_through(self) -> None:
        self.reached.set()
        assert self.opened.wait(30)
        if self.is_broken:
            raise OperationalError


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    door = Door()

    def keep_and_wait(*arguments: Any) -> Any:
        kept = keep(*arguments)
        door.pass_through()
        return kept

    monkeypatch.setattr(views, "keep", keep_and_wait)
    yield door
    door.opened.set()


@each
@pytest.mark.contract("B1")
def test_a_repetition_has_to_come_back_and_gets_the_answer_then(alice, door, post):
    """409 at once, with the seconds to wait; it does nothing itself."""
    first = beside(lambda: post.send(alice))
    assert door.reached.wait(30)

    early = post.send(alice)
    assert code(early) == IN_USE
    assert (early["Retry-After"], is_replayed(early)) == ("1", False)
    assert KEY in early.json()["detail"]

    door.opened.set()
    answer = first.result(30)
    done = stored()
    late = post.send(alice)
    assert (answer.status_code, received(late)) == (post.status, received(answer))
    assert is_replayed(late)
    assert stored() == done


def test_another_request_with_the_key_gets_the_same_answer(alice, door):
    """Its content is known when it has ended: then the other one is 422."""
    first = beside(lambda: CREATE.send(alice))
    assert door.reached.wait(30)
    assert code(BULK.send(alice)) == IN_USE

    door.opened.set()
    first.result(30)
    assert code(BULK.send(alice)) == (422, "IDEMPOTENCY_KEY_REUSED")


@each
def test_when_the_first_one_fails_the_next_does_it(alice, door, post):
    """As if the first had never come: nothing of it is left, not even its answer."""
    door.is_broken = True
    before = stored()
    first = beside(lambda: post.send(alice))
    assert door.reached.wait(30)
    door.opened.set()
    assert code(first.result(30)) == (503, "DATABASE_UNAVAILABLE")
    assert stored() == before

    door.is_broken = False
    again = post.send(alice)
    assert (again.status_code, is_replayed(again)) == (post.status, False)
    assert is_replayed(post.send(alice))


@each
def test_an_answer_is_repeated_while_others_write(alice, northwind, post):
    """It does not wait: on SQLite a writer of many elements would block all other writers."""
    first = post.send(alice)
    with writing_many(northwind):
        again = beside(lambda: post.send(alice))
        answer = again.result(60)  # waiting ones get 503 before
    assert is_replayed(answer)
    assert received(answer) == received(first)


# --- Where locks are files ----------------------------------------------------------------------

if connection.vendor == "sqlite":

    @pytest.fixture
    def folder() -> Path:
        return Path(f"{connection.settings_dict['NAME']}-keys")

    def test_no_file_of_a_lock_is_left(alice, folder, door):
        """Neither of one that was held, nor of one that was requested and not granted."""
        first = beside(lambda: CREATE.send(alice))
        assert door.reached.wait(30)
        assert code(CREATE.send(alice)) == IN_USE
        assert len(list(folder.iterdir())) == 1
        door.opened.set()
        first.result(30)
        assert list(folder.iterdir()) == []

    def test_a_bulk_save_waits_for_its_turn_as_it_does_without_a_key(alice, monkeypatch):
        """For the lock of SQLite, as long as a bulk save waits; and the next request waits no longer than usual."""
        waited = []
        monkeypatch.setattr(BulkViewSet, "timeout", 7)

        def look(*arguments: Any) -> Any:
            waited.append(busy_timeout())
            return keep(*arguments)

        monkeypatch.setattr(views, "keep", look)
        usual = busy_timeout()
        BULK.send(alice)
        CREATE.send(alice, key="another")
        assert waited == [7_000, usual]

    def busy_timeout() -> int:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout")
            return int(cursor.fetchone()[0])

    def test_where_no_file_can_be_made_the_answer_is_503(alice, folder):
        """A full disk, for example: nothing is done, and the key is free."""
        if folder.exists():
            folder.rmdir()
        folder.write_text("in the way")
        try:
            assert code(CREATE.send(alice)) == (503, "DATABASE_UNAVAILABLE")
        finally:
            folder.unlink()
        assert CREATE.send(alice).status_code == 201
