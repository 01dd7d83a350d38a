"""Pages where people propose instead of writing: by their role, or because changes need an approval (contract O4)."""

import re
from typing import Any

import pytest
from django.test import Client

from account.models import Account
from bulkops.models import DataProcessing, Plan
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import Repository
from tests.bulkops.plans.deciding import DELETIONS, EVERYTHING, NOTHING, require_approval
from tests.dimensions_site.administration.plans.plan_pages import at, planned
from tests.dimensions_site.administration.site.forms import filled_form
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.dimensions_site.administration.table.grids import checked, send
from tests.factories import Person, account
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("O1", "O2", "O4"), pytest.mark.django_db]

KINDS = {"nature": "OTHER_STOCKS", "type": "DETAIL", "conversion.conversionType": "NONE"}


@pytest.fixture
def cash(northwind: Repository) -> Account:
    store_accounts(northwind, account("1000"))
    return Account.objects.get()


@pytest.fixture(params=["polly", "ed", "alice"])
def author(request: pytest.FixtureRequest, northwind: Repository) -> Client:
    """The browser of a proposer; of an editor and a manager where every change needs an approval."""
    person: Person = request.getfixturevalue(request.param)
    if request.param != "polly":
        require_approval(northwind, EVERYTHING)
    return browser_of(person)


def form_of(browser: Client, address: str) -> dict[str, Any]:
    answer = browser.get(address)
    assert answer.status_code == 200
    return filled_form(answer.content.decode(), "element-form")


def written() -> list[tuple[str, str | None]]:
    """What is stored, and that nothing wrote it but the fixtures."""
    return [(one.element_id, one.descriptions.get("en")) for one in Account.objects.order_by("element_id")]


def test_a_new_account_is_proposed(author, northwind, cash):
    """Its form offers nothing else; it ends on the page of the proposal, and the draft is gone."""
    address = f"{page(Account, 'add')}?repository={northwind.pk}"
    text = author.get(address).content.decode()
    assert re.search(r'name="_save"[^>]*>\s*Propose\s*<', text)
    assert not [name for name in ("_addanother", "_continue") if name in text]
    typed = {"id": "2000", "descriptions:0:key": "en", "descriptions:0:text": "Bank", **KINDS, "_reason": "Merger"}
    number = "12345678-1234-1234-1234-123456789012"
    answer = author.post(address, {**form_of(author, address), **typed, "_draft": number}, follow=True)
    plan = planned(answer)
    assert (plan.created, plan.changed, plan.deleted, plan.reason) == (1, 0, 0, "Merger")
    assert author.cookies["saved_draft"].value == number
    assert written() == [("1000", "Cash")]


def test_a_form_that_offered_to_propose_proposes(ed, northwind, cash):
    """Although its user may save by now: nobody saves what they meant to propose."""
    require_approval(northwind, EVERYTHING)
    browser, address = browser_of(ed), page(Account, "change", cash.pk)
    offered = form_of(browser, address)
    require_approval(northwind, NOTHING)
    plan = planned(browser.post(address, {**offered, "descriptions:0:text": "Money"}, follow=True))
    assert (plan.created, plan.changed, plan.deleted) == (0, 1, 0)
    assert written() == [("1000", "Cash")]
    assert "_proposes" not in form_of(browser, address)


def test_what_is_wrong_stands_at_its_field(author, northwind, cash):
    """As when it is saved; nothing is proposed, and what was typed stays."""
    address = f"{page(Account, 'add')}?repository={northwind.pk}"
    typed = {"id": "1000", "descriptions:0:key": "en", "descriptions:0:text": "Bank", **KINDS}
    answer = author.post(address, {**form_of(author, address), **typed})
    assert answer.status_code == 200
    assert answer.context["form"].controls["id"].errors
    assert "Bank" in answer.content.decode()
    assert not Plan.objects.exists()


def test_a_changed_account_is_proposed(author, cash):
    address = page(Account, "change", cash.pk)
    typed = {"descriptions:0:text": "Money"}
    plan = planned(author.post(address, {**form_of(author, address), **typed}, follow=True))
    assert (plan.created, plan.changed, plan.deleted) == (0, 1, 0)
    assert written() == [("1000", "Cash")]
    again = author.post(address, form_of(author, address), follow=True)
    assert messages_of(again) == ["Nothing would change: these values are there already."]
    assert Plan.objects.count() == 1


def test_what_others_save_meanwhile_is_merged_into_the_proposal(polly, ed, cash):
    """It proposes the user's field only; what both changed is asked."""
    browser, address = browser_of(polly), page(Account, "change", cash.pk)
    begun = form_of(browser, address)
    ed.send("PATCH", ed.account("elements/1000"), {"nature": "PROFIT_AND_LOSS"})
    plan = planned(browser.post(address, {**begun, "descriptions:0:text": "Money"}, follow=True))
    shown = browser.get(at(plan)).context["changes"][0]
    assert [(one.path, one.after) for one in shown.differences] == [("descriptions.en", "Money")]
    ed.send("PATCH", ed.account("elements/1000"), {"descriptions": {"en": "Coins"}})
    asked = browser.post(address, {**begun, "descriptions:0:text": "Money"})
    assert asked.status_code == 200
    assert asked.context["attempt"].choices
    assert Plan.objects.count() == 1


def test_a_deletion_is_proposed(author, cash):
    address = page(Account, "delete", cash.pk)
    assert "Yes, delete it" not in author.get(address).content.decode()
    plan = planned(author.post(address, {"post": "yes", "_reason": "Unused"}, follow=True))
    assert (plan.deleted, plan.reason) == (1, "Unused")
    assert written() == [("1000", "Cash")]


def test_the_deletion_of_what_is_selected_is_proposed(author, northwind):
    """However much of the repository it is; no deletion starts."""
    store_accounts(northwind, account("1"), account("2"), account("3"))
    keys = list(Account.objects.order_by("pk").values_list("pk", flat=True)[:2])
    sent = {"action": "delete_elements", "_selected_action": keys, "select_across": "0"}
    asked = author.post(page(Account), sent)
    assert "You propose to delete 2" in asked.content.decode()
    plan = planned(author.post(page(Account), {**sent, "confirmed": "2"}, follow=True))
    assert plan.deleted == 2
    assert not DataProcessing.objects.exists()
    assert len(written()) == 3


def test_only_deletions_are_proposed_where_only_they_need_an_approval(alice, northwind, cash):
    require_approval(northwind, DELETIONS)
    browser, address = browser_of(alice), page(Account, "change", cash.pk)
    browser.post(address, {**form_of(browser, address), "descriptions:0:text": "Money"})
    assert (written(), Plan.objects.count()) == ([("1000", "Money")], 0)
    assert planned(browser.post(page(Account, "delete", cash.pk), {"post": "yes"}, follow=True)).deleted == 1


@pytest.mark.django_db(transaction=True)
def test_a_restored_version_is_proposed(polly, ed, cash):
    """Of an element that exists, field by field; of a deleted one as a whole."""
    ed.send("PATCH", ed.account("elements/1000"), {"descriptions": {"en": "Money"}, "nature": "PROFIT_AND_LOSS"})
    browser, first = browser_of(polly), Account.version_model.objects.earliest("number")
    address = page(Account, "restore", first.number)
    shown = browser.get(address)
    sent = {"_etag": shown.context["etag"], "field": ["descriptions.en"], "_reason": "Back"}
    plan = planned(browser.post(address, sent, follow=True))
    assert (plan.changed, plan.reason) == (1, "Back")
    assert written() == [("1000", "Money")]
    stale = browser.post(address, {**sent, "_etag": "x"}, follow=True)
    assert messages_of(stale) == ["It was saved meanwhile; check what would change now."]
    Account.objects.all().delete()
    plan = planned(browser.post(address, {"is_deleted": "yes"}, follow=True))
    assert plan.created == 1
    assert written() == []


@pytest.mark.contract("C16")
def test_a_checked_table_is_proposed(author, cash):
    """What was checked is proposed with its reason, and waits for others only then."""
    answer = checked(author, {"1000": {"descriptions.en": "Money"}})
    first = Plan.objects.get()
    assert first.table_digest is not None
    assert ">Propose" in re.sub(r"\s", "", answer.content.decode())
    sent = send(author, answer, "save", _reason="Merger")
    plan = Plan.objects.get()
    assert (sent.status_code, sent["Location"]) == (302, at(plan))
    assert (plan.changed, plan.reason, plan.table_digest) == (1, "Merger", None)
    assert plan.pk != first.pk
    assert written() == [("1000", "Cash")]


@pytest.mark.contract("C15")
def test_changes_of_what_is_selected_are_proposed(author, cash):
    changes = {"chosen": "yes", "nature:how": "set", "nature": "PROFIT_AND_LOSS"}
    sent = {"action": "change_elements", "_selected_action": [cash.pk], "select_across": "0", **changes}
    plan = planned(author.post(page(Account), sent, follow=True))
    assert (plan.changed, ChangeSet.objects.filter(channel="PLAN").count()) == (1, 0)
