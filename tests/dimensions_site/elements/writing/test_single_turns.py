"""Writes of single elements that wait for others leave threads for other repositories."""

import threading
import time
from typing import Any

import pytest
from django.db import connection, transaction

from account.models import Account
from dimensions_site.elements.writing.locking import writing_many
from tests.factories import account

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("B1")]


class Call(threading.Thread):
    """A request beside the test, and how long it took."""

    def __init__(self, person: Any, method: str, path: str, body: Any) -> None:
        super().__init__()
        self._person, self._request = person, (method, path, body)
        person.raise_request_exception = False
        self.response: Any = None
        self.seconds = 0.0
        self.start()

    def run(self) -> None:
        begun = time.monotonic()
        try:
            self.response = self._person.send(*self._request)
        finally:
            self.seconds = time.monotonic() - begun
            connection.close()

    def status(self) -> int:
        """The status when it has ended; a refusal says when to retry."""
        self.join(30)
        if self.response.status_code == 503:
            assert self.response.json()["code"] == "REPOSITORY_BUSY"
            assert self.response["Retry-After"] == "5"
        return int(self.response.status_code)


WRITES = {
    "PATCH": ("PATCH", "elements/1000", {"descriptions": {"en": "Changed"}}),
    "PUT": ("PUT", "elements/1000", account("1000", descriptions={"en": "Changed"})),
    "POST": ("POST", "elements", account("2000")),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_only_some_wait_long_for_an_element_that_others_write(ed, northwind, settings, write):
    """The others are refused after a second, and as soon as some have waited longer, at once."""
    settings.BULK_WAITERS = 2
    method, rest, body = write
    sent = method, ed.account(rest), body
    assert ed.send("POST", ed.account(), account("1000")).status_code == 201
    with writing_many(northwind):
        [old] = Account.objects.all()
        old.save(update_fields=["update_user"])
        old.pk, old.element_id = None, "2000"
        old.save(force_insert=True)
        waiting = []
        for _ in range(2):
            waiting.append(Call(ed, *sent))
            time.sleep(0.1)
        third = Call(ed, *sent)
        assert third.status() == 503
        assert third.seconds < 5
        late = [Call(ed, *sent) for _ in range(4)]
        assert [each.status() for each in late] == [503] * 4
        # Had they waited, it would be a second for each; one of them may be slow on a busy machine.
        assert min(each.seconds for each in late) < 0.9
        assert all(each.is_alive() for each in waiting)
        if connection.vendor == "postgresql":  # SQLite has one writer
            assert Call(ed, "POST", ed.account(), account("3000")).status() == 201

    assert {each.status() for each in waiting} <= {200, 400}


def test_writes_that_wait_in_all_repositories_leave_a_thread_to_others(ed, bob, northwind, contoso, settings):
    """A write that would take the last thread is refused after a second."""
    settings.BULK_WAITERS, settings.WEB_THREADS = 2, 3
    assert ed.send("POST", ed.account(), account("1000")).status_code == 201
    assert bob.send("POST", bob.account("elements", "contoso"), account("1000")).status_code == 201
    change = {"descriptions": {"en": "Changed"}}
    with transaction.atomic():
        for element in Account.objects.all():
            element.save(update_fields=["update_user"])
        waiting = []
        for _ in range(2):
            waiting.append(Call(ed, "PATCH", ed.account("elements/1000"), change))
            time.sleep(0.1)
        last = Call(bob, "PATCH", bob.account("elements/1000", "contoso"), change)
        assert last.status() == 503
        assert last.seconds < 5
        assert all(each.is_alive() for each in waiting)

    assert {each.status() for each in waiting} == {200}
