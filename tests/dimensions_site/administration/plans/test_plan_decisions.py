"""Deciding on a plan on its page: what each person may do and reads, and what becomes of it (contract O3, O4)."""

from typing import Any

import pytest
from django.test import Client

from account.models import Account
from bulkops.models import Plan, PlanStatus
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import Repository, Role
from tests.bulkops.plans.deciding import DELETIONS, EVERYTHING, NOTHING, require_approval
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.plans.plan_pages import apply, at, opened
from tests.dimensions_site.administration.site.forms import filled_form
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import Person, account, add_person
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("O1", "O3", "O4"), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def plan(polly: Person, northwind: Repository) -> Plan:
    """A plan of Polly's that creates an account where every change needs an approval."""
    store_accounts(northwind, account("1"))
    require_approval(northwind, EVERYTHING)
    make(polly, "account", bulk={"post": [account("2")]}, reason="Merger")
    return Plan.objects.get()


def decide(browser: Client, plan: Plan, do: str, text: str = "", shown: Any = None) -> Any:
    """The answer to the decision, made on the page that was `shown`."""
    form = filled_form((shown or opened(browser, plan)).content.decode(), "decide-form")
    return browser.post(at(plan, "decide"), {**form, "do": do, "text": text}, follow=True)


def buttons(answer: Any) -> set[str]:
    """What the page offers to do with the plan."""
    options = answer.context["options"]
    return {name for name in ("may_apply", "may_approve", "may_reject") if options[name]}


def test_each_person_is_offered_what_they_may_do(plan, polly, ed, alice, rita):
    """The page says why they may do no more."""
    for person, offered, why in (
        (polly, set(), "You have made this change proposal, so another person must approve or reject it."),
        (rita, set(), "To approve it, you need the role editor in the repository."),
        (ed, {"may_approve", "may_reject"}, ""),
        (alice, {"may_approve", "may_reject"}, ""),
    ):
        answer = opened(browser_of(person), plan)
        assert (buttons(answer), answer.context["options"]["why_not"]) == (offered, why)
        assert why in answer.content.decode()
        assert ("Withdraw the change proposal" in answer.content.decode()) is (person is polly)
        assert "waiting for approval" in answer.content.decode()


def test_it_is_approved_and_applied_in_one_step(plan, ed):
    """The change keeps the reason of its author, and says who proposed and who approved it."""
    answer = decide(browser_of(ed), plan, "apply", "Agreed\nwith the group.")
    assert messages_of(answer) == ["The change proposal was approved and applied."]
    assert Account.objects.filter(element_id="2").exists()
    one = ChangeSet.objects.get(operation=plan.pk)
    assert (one.proposed_by, one.approved_by, one.approval_text) == ("polly", "ed", "Agreed with the group.")
    assert one.reason == "Merger"
    shown = browser_of(ed).get(page(ChangeSet, "change", one.pk)).content.decode()
    assert "by polly" in shown
    assert "Agreed with the group." in shown
    report = browser_of(ed).get(page(ChangeSet, "report")).content.decode()
    assert "proposed by polly, approved by ed" in report
    log = browser_of(ed).get(page(ChangeSet)).content.decode()
    assert "proposed by polly, approved by ed" in log
    history = browser_of(ed).get(page(Account, "history", Account.objects.get(element_id="2").pk)).content.decode()
    assert "proposed by polly, approved by ed" in history


def test_it_is_approved_first_and_applied_by_another(plan, ed, alice):
    answer = decide(browser_of(ed), plan, "approve")
    assert messages_of(answer) == ["The change proposal was approved. Nothing is changed before it is applied."]
    assert not Account.objects.filter(element_id="2").exists()
    text = answer.content.decode()
    assert "The change proposal is approved and can be applied." in text
    assert buttons(opened(browser_of(alice), plan)) == {"may_apply"}
    assert messages_of(apply(browser_of(alice), plan)) == ["The change proposal was applied."]
    assert Account.objects.filter(element_id="2").exists()


def test_a_rejection_says_why(plan, ed, polly):
    """Without a text it is an error at the field, and nothing is decided; the author reads the text."""
    refused = decide(browser_of(ed), plan, "reject", " ")
    assert refused.context["remark"].error == "Say why you reject it: its author reads this."
    assert 'aria-describedby="id_text_error"' in refused.content.decode()
    long = decide(browser_of(ed), plan, "reject", "x" * 1_001)
    assert "1,001" in long.context["remark"].error
    assert "x" * 1_001 in long.content.decode()
    plan.refresh_from_db()
    assert plan.status == PlanStatus.READY
    answer = decide(browser_of(ed), plan, "reject", "We have 1.")
    assert messages_of(answer) == ["The change proposal was rejected. Nothing was changed."]
    seen = opened(browser_of(polly), plan).content.decode()
    assert "We have 1." in seen
    assert "Withdraw the change proposal" not in seen
    assert "Delete the change proposal" in seen
    assert buttons(opened(browser_of(ed), plan)) == set()


def test_a_decision_in_between_changes_nothing(plan, ed, alice):
    """Who decides second reads what happened."""
    browser = browser_of(alice)
    shown = opened(browser, plan)
    decide(browser_of(ed), plan, "approve")
    late = decide(browser, plan, "reject", "No.", shown)
    assert messages_of(late) == ["The proposal is not as you saw it. Check it again, and decide then."]
    plan.refresh_from_db()
    assert (plan.status, plan.decided_by) == (PlanStatus.APPROVED, "ed")


def test_an_author_withdraws_their_own_proposal(plan, polly, ed):
    other = add_person("peter", plan.repository, Role.PROPOSER)
    assert browser_of(other).post(at(plan, "remove")).status_code == 403
    answer = browser_of(polly).post(at(plan, "remove"), follow=True)
    assert messages_of(answer) == ["The change proposal was deleted. Nothing was changed by that."]
    assert not Plan.objects.exists()


def test_where_nothing_needs_an_approval_it_is_applied_or_rejected(plan, ed, polly):
    """So a proposer gets an answer, too."""
    require_approval(plan.repository, NOTHING)
    answer = opened(browser_of(ed), plan)
    assert buttons(answer) == {"may_apply", "may_reject"}
    assert "Reject…" in answer.content.decode()
    assert "To apply it, you need the role editor" in opened(browser_of(polly), plan).content.decode()
    decide(browser_of(ed), plan, "reject", "Not now.")
    plan.refresh_from_db()
    assert plan.status == PlanStatus.REJECTED


def test_a_reason_is_asked_where_the_author_gave_none(polly, ed, northwind):
    northwind.requires_reason = True
    northwind.save()
    require_approval(northwind, EVERYTHING)
    make(polly, "account", bulk={"post": [account("2")]})
    plan = Plan.objects.get()
    refused = decide(browser_of(ed), plan, "apply")
    assert refused.context["reason"].error
    browser = browser_of(ed)
    form = filled_form(opened(browser, plan).content.decode(), "decide-form")
    browser.post(at(plan, "decide"), {**form, "do": "apply", "_reason": "Merger"})
    assert ChangeSet.objects.get().reason == "Merger"


@pytest.mark.contract("O4")
def test_the_start_page_says_what_waits_for_whom(plan, polly, ed, alice, rita, northwind):
    """It leads to the list of exactly these; a table that was only checked waits for nobody."""

    for person, words in ((ed, "Change proposals that wait for me: 1"), (polly, "My change proposals: 1"), (rita, "")):
        browser = browser_of(person)
        answer = browser.get("/admin/")
        waiting = [text for text, _address in answer.context["waiting"] if "proposals" in text]
        assert waiting == [words] * bool(words)
        for text, address in answer.context["waiting"]:
            if "proposals" in text:
                assert list(browser.get(address, follow=True).context["cl"].result_list) == [plan]
    decide(browser_of(ed), plan, "reject", "No.")
    answer = browser_of(polly).get("/admin/")
    assert [text for text, _address in answer.context["waiting"]] == ["My change proposals: 1"]
    assert not browser_of(ed).get("/admin/").context["waiting"]
    Plan.objects.update(status=PlanStatus.READY, table_digest="x")
    assert not browser_of(ed).get("/admin/").context["waiting"]
    assert buttons(opened(browser_of(ed), plan)) == set()


def test_nobody_decides_on_their_own_proposal(plan, alice, northwind):
    make(alice, "account", bulk={"post": [account("3")]})
    own = Plan.objects.latest("created_at")
    browser = browser_of(alice)
    etag = opened(browser, own).context["etag"]
    for do in ("approve", "apply", "reject"):
        answer = browser.post(at(own, "decide"), {"do": do, "etag": etag, "text": "Yes"})
        assert "You have made this change proposal" in answer.context["refusal"]
    own.refresh_from_db()
    assert own.status == PlanStatus.READY
    assert browser.post(at(own, "apply"), {"etag": etag}).context["refusal"]
    assert not Account.objects.filter(element_id="3").exists()
    assert browser.post(at(own, "decide"), {"etag": etag, "do": "x"}).status_code == 400


def test_what_deletes_needs_a_manager(polly, ed, alice, northwind):
    store_accounts(northwind, account("1"))
    require_approval(northwind, DELETIONS)
    make(polly, "account", bulk={"delete": [{"id": "1"}]}, maxDelete="100%")
    plan = Plan.objects.get()
    answer = opened(browser_of(ed), plan)
    assert buttons(answer) == set()
    assert "It deletes, so to approve it you need the role manager in the repository." in answer.content.decode()
    assert browser_of(ed).post(at(plan, "decide"), {"do": "approve"}).status_code == 403
    assert buttons(opened(browser_of(alice), plan)) == {"may_approve", "may_reject"}
