"""Undoing what an activity, a deletion or an import has changed."""

import pytest

from account.models import Account
from bulkops.models import Plan, PlanStatus
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import Repository
from tests.dimensions_site.administration.plans.plan_pages import apply, at, opened, planned
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import Person, account, read
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("K7", "G2"), pytest.mark.django_db(transaction=True)]


def stored(repository: Repository) -> dict[str, str | None]:
    rows = Account.of(repository).order_by("element_id")
    return {one.element_id: one.descriptions.get("en") for one in rows}


@pytest.fixture
def changed(alice: Person, northwind: Repository) -> ChangeSet:
    """Two accounts, which one activity has changed."""
    store_accounts(northwind, account("1"), account("2"))
    changes = [{"key": {"id": id}, "data": {"descriptions": {"en": "Wrong"}}} for id in "12"]
    read(alice.send("POST", alice.account("elements-bulk"), {"patch": changes}))
    return ChangeSet.objects.latest("committed_at", "number")


def undo(browser, row):
    return browser.post(page(type(row), "undo", row.pk), follow=True)


def test_an_activity_is_undone(changed, ed, northwind):
    """The button leads to a plan, which shows what would change, and where it comes from."""
    browser = browser_of(ed)
    activity = page(ChangeSet, "change", changed.pk)
    assert page(ChangeSet, "undo", changed.pk) in browser.get(activity).content.decode()
    answer = undo(browser, changed)
    plan = planned(answer)
    assert stored(northwind) == {"1": "Wrong", "2": "Wrong"}
    assert [(one.id, one.description) for one in answer.context["changes"]] == [("1", "Cash"), ("2", "Cash")]
    assert activity in answer.content.decode()
    apply(browser, plan)
    assert stored(northwind) == {"1": "Cash", "2": "Cash"}


def test_what_was_changed_again_is_named_and_can_be_left(changed, alice, ed, northwind):
    alice.send("PATCH", alice.account("elements/2"), {"descriptions": {"en": "Right"}})
    browser = browser_of(ed)
    answer = undo(browser, changed)
    refused = planned(answer)
    assert refused.status == PlanStatus.INVALID
    assert [(one.id, one.text) for one in answer.context["errors"]] == [("2", "It has changed since.")]
    assert "Leave those as they are" in answer.content.decode()
    plan = planned(browser.post(at(refused, "again"), {"leave": "yes"}, follow=True))
    assert plan.source == {"undo": str(changed.pk), "onConflict": "skip"}
    assert "except for what was changed again" in opened(browser, plan).content.decode()
    apply(browser, plan)
    assert stored(northwind) == {"1": "Cash", "2": "Right"}


def test_an_outdated_undo_is_made_again(changed, alice, ed, northwind):
    browser = browser_of(ed)
    plan = planned(undo(browser, changed))
    alice.send("PATCH", alice.account("elements/2"), {"descriptions": {"en": "Right"}})
    answer = apply(browser, plan)
    assert "Make the change proposal again" in answer.content.decode()
    again = planned(browser.post(at(plan, "again"), follow=True))
    assert again.status == PlanStatus.INVALID


def test_a_creation_is_undone_by_a_manager(alice, ed, northwind):
    """It deletes, which an editor may plan and not apply."""
    alice.send("POST", alice.account(), account("9"))
    one = ChangeSet.objects.get()
    editor = browser_of(ed)
    plan = planned(undo(editor, one))
    assert editor.post(at(plan, "apply"), {}).status_code == 403
    assert stored(northwind) == {"9": "Cash"}
    browser = browser_of(alice)
    apply(browser, planned(undo(browser, one)))
    assert stored(northwind) == {}


def test_what_is_no_longer_known_cannot_be_undone(changed, alice):
    """The versions are purged."""
    browser = browser_of(alice)
    Account.version_model.objects.all().delete()
    answer = undo(browser, changed)
    assert [one.text for one in answer.context["errors"]] == [
        "Old versions that this needs were purged. What they had cannot be brought back."
    ]


def test_too_many_open_plans_are_a_message(changed, alice, settings):
    settings.PLAN_MAX_OPEN = 1
    browser = browser_of(alice)
    planned(undo(browser, changed))
    assert messages_of(undo(browser, changed)) == [
        "You have too many change proposals here that are not applied. Delete those that you no longer need."
    ]


def test_a_reader_cannot_undo(changed, rita, northwind):
    browser = browser_of(rita)
    assert "Undo…" not in browser.get(page(ChangeSet, "change", changed.pk)).content.decode()
    assert undo(browser, changed).status_code == 403
    assert not Plan.objects.exists()
