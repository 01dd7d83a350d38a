"""The history of elements: who wrote what, when and from where."""

from datetime import UTC, datetime, timedelta

import pytest

from account.models import Account, AccountVersion
from tests.factories import account, read

pytestmark = pytest.mark.django_db(transaction=True)


def versions(model, id):
    """The versions of an element, oldest first: kind, name of the user, channel."""
    return [
        (row.change, row.change_set.user, row.change_set.channel)
        for row in model.version_model.objects.filter(element_id=id).order_by("number")
    ]


@pytest.mark.contract("C18")
def test_each_write_leaves_a_version_with_its_author(alice, ed):
    """POST, PUT and PATCH: kind, user and channel of each."""
    alice.send("POST", alice.account(), account())
    ed.send("PUT", ed.account("elements/1000"), account(type="DETAIL"))
    alice.send("PATCH", alice.account("elements/1000"), {"nature": "OTHER_STOCKS"})

    assert versions(Account, "1000") == [("+", "alice", "REST"), ("~", "ed", "REST"), ("~", "alice", "REST")]


@pytest.mark.contract("C18")
def test_a_version_shows_when_and_what(alice):
    """The instant is that of the commit, not before that of `updateInfo`; the version has all values of the element."""
    started = datetime.now(UTC)
    alice.send("POST", alice.account(), account(rules={"accrual": {"debit": {"id": "7"}}}))
    changed = read(alice.send("PATCH", alice.account("elements/1000"), {"descriptions": {"en": "Bank"}}))

    second, first = AccountVersion.objects.filter(element_id="1000").order_by("-number")
    assert first.descriptions == {"en": "Cash", "de": "Kasse"}
    assert second.descriptions == {"en": "Bank", "de": "Kasse"}
    assert second.accrual["debitAccrual"] == {"id": "7", "description": None}
    assert second.update_date == datetime.fromisoformat(changed["updateInfo"]["date"])
    assert started < first.change_set.committed_at <= second.change_set.committed_at
    assert timedelta() < second.change_set.committed_at - second.update_date < timedelta(minutes=1)
    columns = [column.attname for column in Account._meta.concrete_fields]
    differing = {column for column in columns if getattr(first, column) != getattr(second, column)}
    assert differing <= {"descriptions", "update_date"}
