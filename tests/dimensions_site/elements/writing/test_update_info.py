"""Who changed an element last, when and from where; and the version that its history keeps."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from account.models import Account, AccountVersion
from tests.factories import account, currency, read

FORGED = {"user": "mallory", "date": "1999-01-01T00:00:00.000+0000", "origin": "IMPORT"}


@pytest.mark.contract("C12")
def test_update_info_names_the_user_the_instant_and_the_origin(alice, ed):
    """It is that of the last write."""
    created = read(alice.send("POST", alice.account(), account()))["updateInfo"]
    changed = read(ed.send("PATCH", ed.account("elements/1000"), {"type": "DETAIL"}))["updateInfo"]

    assert (created["user"], created["origin"]) == ("alice", "INPUT_WEB")
    assert (changed["user"], changed["origin"]) == ("ed", "INPUT_WEB")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", changed["date"])
    assert datetime.now(UTC) - datetime.fromisoformat(changed["date"]) < timedelta(minutes=5)
    assert changed["date"] >= created["date"]


@pytest.mark.contract("C12")
@pytest.mark.parametrize("forged", [FORGED, None, "mallory", 5, [], {"user": {"name": "mallory"}, "unknown": 1}])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_update_info_of_a_request_is_accepted_and_ignored(alice, method, forged):
    """Whatever it holds, it cannot be forged."""
    if method == "PATCH":
        alice.send("POST", alice.currency(), currency())
    path = alice.currency() if method == "POST" else alice.currency("elements/EUR")

    response = alice.send(method, path, currency(preferred=True, updateInfo=forged))

    assert response.status_code in {200, 201}, response.content
    written = read(response)["updateInfo"]
    assert (written["user"], written["origin"]) == ("alice", "INPUT_WEB")
    assert written["date"] > "2020"


@pytest.mark.contract("C12")
def test_a_write_that_changes_nothing_leaves_update_info(alice, ed):
    """Ed sends the stored values with a forged `updateInfo`: Alice stays the last author."""
    created = read(alice.send("POST", alice.currency(), currency()))

    replaced = read(ed.send("PUT", ed.currency("elements/EUR"), created | {"updateInfo": FORGED}))
    patched = read(ed.send("PATCH", ed.currency("elements/EUR"), {"decimalNumbers": 2, "updateInfo": FORGED}))

    assert replaced == patched == created


@pytest.mark.django_db(transaction=True)
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
