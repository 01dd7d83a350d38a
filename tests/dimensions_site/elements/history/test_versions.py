"""Versions of an element or of a change set: the latest first, with what each has changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from dimensions_site.changes.models import ChangeSet
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.save.bulk import patch
from tests.dimensions_site.elements.history.calls import answer, refusal
from tests.factories import Person, account, read
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I5")]


@pytest.fixture
def again(alice: Person, northwind) -> None:
    """The account 1 was created, changed, deleted, and created again."""
    store_accounts(northwind, account("1"))
    sent = {"descriptions": {"de": "Bank", "en": None}, "nature": "OTHER_STOCKS"}
    alice.send("PATCH", alice.account("elements/1"), sent, Change_Reason="renamed")
    start(alice, ["1"])
    work_now()
    alice.send("POST", alice.account(), account("1", descriptions={"en": "Again"}))


def value(version: dict[str, Any], path: str) -> Any:
    """What a version has changed at the path: before and after."""
    found = {one["path"]: (one["before"], one["after"]) for one in version["changes"]}
    return found.get(path)


def test_each_version_says_who_when_through_what_why_and_what(alice, again):
    """Of an element that was deleted and created again, too."""
    versions = answer(alice, "versions", id="1")
    assert [(one["change"], one["user"], one["channel"], one["reason"]) for one in versions] == [
        ("created", "alice", "REST", None),
        ("deleted", "alice", "DELETION", None),
        ("changed", "alice", "REST", "renamed"),
        ("created", "system", "IMPORT", None),
    ]
    numbers = [one["version"] for one in versions]
    assert numbers == sorted(numbers, reverse=True)
    sets = answer(alice, "changesets")
    assert [(one["changeSet"], one["committedAt"]) for one in versions] == [
        (one["id"], one["committedAt"]) for one in sets
    ]


def test_changes_are_listed_by_path_with_both_values(alice, again):
    """A creation has all that is set, a deletion all that was; `updateInfo` and the id are no changes."""
    created_again, deleted, changed, created = answer(alice, "versions", id="1")
    assert changed["changes"] == [
        {"path": "descriptions.de", "before": "Kasse", "after": "Bank"},
        {"path": "descriptions.en", "before": "Cash", "after": None, "entry": "kept"},
        {"path": "nature", "before": "BALANCE_SHEET", "after": "OTHER_STOCKS"},
    ]
    assert value(created, "nature") == (None, "BALANCE_SHEET")
    assert value(deleted, "nature") == ("OTHER_STOCKS", None)
    assert value(deleted, "descriptions.de") == ("Bank", None)
    assert value(created_again, "descriptions.en") == (None, "Again")
    for version in (created, deleted, created_again):
        assert not {"id", "description", "updateInfo.date"} & {one["path"] for one in version["changes"]}


def test_those_of_a_change_set_are_of_all_its_elements(alice, northwind):
    """And with an id those of one of them."""
    store_accounts(northwind, *(account(id) for id in ("1", "2", "3")))
    patches = [patch(id, nature="OTHER_STOCKS") for id in ("1", "3")]
    read(alice.send("POST", alice.account("elements-bulk"), {"post": [account("4")], "patch": patches}))
    latest = answer(alice, "changesets")[0]["id"]
    versions = answer(alice, "versions", changeSet=latest)
    assert sorted((one["id"], one["change"]) for one in versions) == [
        ("1", "changed"),
        ("3", "changed"),
        ("4", "created"),
    ]
    assert {one["changeSet"] for one in versions} == {latest}
    assert [one["id"] for one in answer(alice, "versions", changeSet=latest, id="3")] == ["3"]
    assert answer(alice, "versions", changeSet=latest, id="2") == []
    assert answer(alice, "versions", changeSet="3f2b1c9e-5d0a-4c61-9a3e-7f3f0f9d8b21") == []


def test_pages_and_the_count(alice, again):
    whole = answer(alice, "versions", id="1")
    assert answer(alice, "versions", id="1", skip="1", take="2") == whole[1:3]
    response = alice.get(
        alice.account("elements-versions"), {"id": "1", "take": "1"}, headers={"prefer": "count=exact"}
    )
    assert (response["X-Total-Count"], len(read(response))) == ("4", 1)


def test_more_versions_than_are_read_together_are_all_listed(alice, northwind):
    """Each with what it has changed."""
    store_accounts(northwind, *(account(f"{number:03}") for number in range(250)))
    patches = [patch(f"{number:03}", nature="OTHER_STOCKS") for number in range(250)]
    read(alice.send("POST", alice.account("elements-bulk"), {"patch": patches}))
    versions = answer(alice, "versions", changeSet=answer(alice, "changesets", take="1")[0]["id"])
    assert len({one["id"] for one in versions}) == 250
    assert all(value(one, "nature") == ("BALANCE_SHEET", "OTHER_STOCKS") for one in versions)


def test_what_a_version_has_changed_is_null_when_the_one_before_is_deleted(alice, northwind, monkeypatch):
    """By retention; a later one is listed as before."""
    store_accounts(northwind, account("1"))
    for nature in ("OTHER_STOCKS", "PROFIT_AND_LOSS"):
        alice.send("PATCH", alice.account("elements/1"), {"nature": nature})
    last, *older = answer(alice, "changesets")
    assert last["channel"] == "REST"
    ChangeSet.objects.filter(pk__in=[one["id"] for one in older]).update(
        committed_at=timezone.now() - timedelta(days=40)
    )
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # for reads that have begun
    call_command("clean_old_history", days=30)
    latest, oldest = answer(alice, "versions", id="1")
    assert value(latest, "nature") == ("OTHER_STOCKS", "PROFIT_AND_LOSS")
    assert (oldest["change"], oldest["changes"]) == ("changed", None)


def test_all_errors_are_reported_at_once(alice):
    """Nothing named, what is no id or no change set, unknown parameters, and pages."""
    assert refusal(alice, "versions") == (400, "REQUIRED", [("id", "REQUIRED")])
    for id in ("", " ", "a\tb", "x" * 129, ".."):
        assert refusal(alice, "versions", id=id)[2][0][0] in ("id", ""), id
    status, _, errors = refusal(alice, "versions", id=" x", changeSet="latest", skip="x", filter="id==1")
    assert (status, sorted(path for path, _ in errors)) == (400, ["changeSet", "filter", "id", "skip"])
