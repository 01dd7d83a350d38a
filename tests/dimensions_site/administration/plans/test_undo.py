"""Undoing what an activity, a deletion or an import has changed."""

import pytest

from account.models import Account
from bulkops.models import DataProcessing, FileImport, Plan, PlanStatus
from bulkops.worker.tasks import work
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.administration.files.imports import BANK, CASH, HEADINGS, checked, confirm
from tests.dimensions_site.administration.files.imports import at as at_import
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
    """It deletes, which an editor may not; nothing is planned then."""
    alice.send("POST", alice.account(), account("9"))
    one = ChangeSet.objects.get()
    answer = undo(browser_of(ed), one)
    assert messages_of(answer) == ["This would delete, for which you need the role manager in the repository."]
    assert answer.redirect_chain == [(page(ChangeSet, "change", one.pk), 302)]
    assert not Plan.objects.exists()
    browser = browser_of(alice)
    apply(browser, planned(undo(browser, one)))
    assert stored(northwind) == {}


def test_a_reader_cannot_undo(changed, rita, northwind):
    browser = browser_of(rita)
    assert "Undo…" not in browser.get(page(ChangeSet, "change", changed.pk)).content.decode()
    assert undo(browser, changed).status_code == 403
    assert not Plan.objects.exists()


@pytest.mark.contract("F5")
def test_a_deletion_is_undone(alice, ed, northwind, settings):
    """All of its chunks, as soon as it has ended."""
    settings.DELETION_CHUNK_SIZE = 1
    store_accounts(northwind, *(account(id, descriptions={"en": id}) for id in "123"))
    start(alice, ["1", "2", "missing"])
    job = DataProcessing.objects.get()
    browser = browser_of(ed)
    shown = page(DataProcessing, "change", job.pk)
    assert "Undo…" not in browser.get(shown).content.decode()
    assert undo(browser, job).status_code == 403
    work_now()
    assert stored(northwind) == {"3": "3"}
    assert "Undo…" in browser.get(shown).content.decode()
    plan = planned(undo(browser, job))
    assert (plan.created, plan.changed, plan.deleted) == (2, 0, 0)
    undone = opened(browser, plan).context["undone"]
    assert browser.get(undone)["Location"] == shown
    apply(browser, plan)
    assert stored(northwind) == {"1": "1", "2": "2", "3": "3"}


def test_an_import_is_undone(alice, northwind):
    """What it created is deleted, what it changed is as before."""
    store_accounts(northwind, account("1000", descriptions={"en": "Old"}))
    browser = browser_of(alice)
    job = checked(browser, northwind, HEADINGS + CASH + BANK)
    assert "Undo…" not in browser.get(at_import(job)).content.decode()
    assert undo(browser, job).status_code == 403
    confirm(browser, job)
    work()
    job.refresh_from_db()
    assert stored(northwind) == {"1000": "Cash", "1010": "Bank"}
    assert page(FileImport, "undo", job.pk) in browser.get(at_import(job)).content.decode()
    plan = planned(undo(browser, job))
    assert (plan.created, plan.changed, plan.deleted) == (0, 1, 1)
    apply(browser, plan)
    assert stored(northwind) == {"1000": "Old"}


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


@pytest.mark.parametrize("model", [ChangeSet, DataProcessing, FileImport])
def test_what_is_of_others_cannot_be_undone(changed, bob, model):
    browser = browser_of(bob)
    key = changed.pk if model is ChangeSet else 1
    assert browser.post(page(model, "undo", key)).status_code == 404
