"""Writes of single elements that wait for others leave threads for other repositories."""

import time

import pytest
from django.db import connection, transaction

from account.models import Account
from dimensions_site.elements.writing.locking import writing_many
from tests.beside import asked
from tests.factories import account

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("B1")]


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
            waiting.append(asked(ed, *sent))
            time.sleep(0.1)
        third = asked(ed, *sent).result(30)
        assert third.status == 503
        assert third.seconds < 5
        late = [each.result(30) for each in [asked(ed, *sent) for _ in range(4)]]
        assert [each.status for each in late] == [503] * 4
        # Had they waited, it would be a second for each; one of them may be slow on a busy machine.
        assert min(each.seconds for each in late) < 0.9
        assert not any(each.done() for each in waiting)
        if connection.vendor == "postgresql":  # SQLite has one writer
            assert asked(ed, "POST", ed.account(), account("3000")).result(30).status == 201

    assert {each.result(30).status for each in waiting} <= {200, 400}


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
            waiting.append(asked(ed, "PATCH", ed.account("elements/1000"), change))
            time.sleep(0.1)
        last = asked(bob, "PATCH", bob.account("elements/1000", "contoso"), change).result(30)
        assert last.status == 503
        assert last.seconds < 5
        assert not any(each.done() for each in waiting)

    assert {each.result(30).status for each in waiting} == {200}
