"""The pages of plans: what each role sees and may do, applying, and what forbids it."""

import io
from typing import Any

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from account.models import Account
from bulkops.models import Plan, PlanStatus
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.plans.plans import make
from tests.bulkops.save.bulk import save
from tests.dimensions_site.administration.plans.plan_pages import apply, at, opened
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import Person, account, add_person, content, currency, read
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.contract("K4", "K5", "K6", "G2"), pytest.mark.django_db]

LIST = page(Plan)


@pytest.fixture
def plan(alice: Person, northwind: Repository) -> Plan:
    """A plan that creates 3, changes 1 and deletes 2."""
    store_accounts(northwind, account("1"), account("2", descriptions={"en": "Loans"}), account("4"))
    snapshot = [account("1", descriptions={"en": "Money"}), account("3", descriptions={"en": "New"}), account("4")]
    make(alice, "account", snapshot=snapshot, maxDelete="100%", reason="Year-end")
    return Plan.objects.get()


def stored(repository: Repository) -> dict[str, str | None]:
    """The descriptions of the accounts, by id."""
    rows = Account.of(repository).order_by("element_id")
    return {one.element_id: one.descriptions.get("en") for one in rows}


def differences(answer: Any) -> list[tuple[str, str, str | None]]:
    return [(one.id, str(one.change.label), one.description) for one in answer.context["changes"]]


def listed(browser: Any, query: str = "") -> list[Plan]:
    answer = browser.get(f"{LIST}{query}")
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def test_the_plans_of_open_repositories_are_listed(plan, rita, bob, northwind, contoso):
    """With their source in words, who made them, and what they do."""
    make(bob, "currency", "contoso", bulk={"put": []})
    assert listed(browser_of(rita)) == [plan]
    text = browser_of(rita).get(LIST).content.decode()
    for word in ("A complete list with 3 entries", "alice", "ready to apply", "northwind"):
        assert word in text
    assert "contoso" not in text
    carl = add_person("carl", northwind, Role.READER, "currency")
    assert listed(browser_of(carl)) == []
    AccessGrant.objects.all().delete()
    assert browser_of(carl).get(LIST).status_code == 403


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?status__exact=READY", 1),
        ("?status__exact=APPLIED", 0),
        ("?dimension__exact=account", 1),
        ("?dimension__exact=currency", 0),
    ],
)
def test_the_list_is_filtered(plan, rita, northwind, query, count):
    assert len(listed(browser_of(rita), query)) == count
    assert len(listed(browser_of(rita), f"{query}&repository__id__exact={northwind.pk}")) == count
    assert listed(browser_of(rita), f"{query}&repository__id__exact=0") == []


def test_a_plan_shows_what_it_does(plan, rita):
    """By element, in words, each with the way to its page; parts of it by what they do."""
    answer = opened(browser_of(rita), plan)
    assert differences(answer) == [("1", "Changed", "Money"), ("2", "Deleted", "Loans"), ("3", "Created", "New")]
    changed, deleted, created = answer.context["changes"]
    assert [(one.path, one.before, one.after) for one in changed.differences] == [("descriptions.en", "Cash", "Money")]
    assert ("descriptions.en", "Loans") in [(one.path, one.after) for one in deleted.differences]
    assert ("nature", "Balance sheet") in [(one.path, one.after) for one in created.differences]
    stored_pk = {one.element_id: one.pk for one in Account.objects.all()}
    assert [changed.address, deleted.address] == [page(Account, "change", stored_pk[id]) for id in "12"]
    assert created.address == ""
    assert [one.label for one in (deleted, created)] == ["to be deleted", "to be created"]
    text = answer.content.decode()
    for word in ("Nothing is changed yet.", "Year-end", "by alice", "A complete list with 3 entries"):
        assert word in text, word
    for action, ids in (("created", ["3"]), ("deleted", ["2"]), ("other", ["1", "2", "3"])):
        found = opened(browser_of(rita), plan, f"?action={action}")
        assert [one.id for one in found.context["changes"]] == ids


def test_in_french_a_blank_stands_before_the_colon_of_a_number(plan, alice):
    """On the page of a plan and on the start page."""
    browser, french = browser_of(alice), {"Accept-Language": "fr"}
    assert "à modifier\u00a0: " in browser.get(page(Plan, "change", plan.pk), headers=french).content.decode()
    shown = browser.get(reverse("admin:index"), headers=french).content.decode()
    assert "Mes propositions de modification\u00a0: 1" in shown


def test_parts_without_any_have_no_colour_and_a_single_element_no_box(alice, northwind):
    """Leaving it out would leave nothing."""
    make(alice, "account", bulk={"post": [account("3")]})
    answer = opened(browser_of(alice), Plan.objects.get())
    badges = {str(name): badge for name, _count, _query, _is_shown, badge in answer.context["actions"]}
    assert badges == {"All": "", "to be created": "is-good", "to be changed": "", "to be deleted": ""}
    assert "Leave out the ticked ones" not in answer.content.decode()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"bulk": {"put": [currency("EUR")], "delete": [{"id": "USD"}]}}, "Changes to 2 rows"),
        ({"snapshot": [currency("USD")]}, "A complete list with 1 entry"),
        ({"repository": "contoso"}, "Copy from contoso"),
        ({"repository": "contoso", "asOf": "token"}, "Copy from contoso as of an earlier moment"),
        ({"asOf": "token"}, "Back to the state of an earlier moment"),
    ],
    ids=str,
)
def test_the_source_of_a_plan_is_in_words(alice, bob, northwind, contoso, body, words):
    """Tokens mean nothing to people."""
    store_currencies(northwind, currency("USD"))
    store_currencies(contoso, currency("CHF"))
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    if "asOf" in body:
        db_id = body.get("repository", "northwind")
        answer = alice.get(alice.currency(db_id=db_id))
        read(answer)
        body = {**body, "asOf": answer["Sync-Token"]}
    make(alice, "currency", **body, maxDelete="100%")
    text = opened(browser_of(alice), Plan.objects.get()).content.decode()
    assert f"<dd>{words}</dd>" in text


def test_a_plan_without_changes_has_nothing_to_apply(alice, northwind):
    store_accounts(northwind, account("1"))
    make(alice, "account", snapshot=[account("1")])
    text = opened(browser_of(alice), Plan.objects.get()).content.decode()
    assert "There is nothing to do: all is as it should be." in text
    assert 'id="apply-form"' not in text


def test_a_large_plan_is_shown_page_by_page(alice, northwind, django_assert_max_num_queries):
    """However many elements it has, a page takes the same queries."""
    make(alice, "account", bulk={"put": [account(f"{number:03}") for number in range(120)]})
    browser, plan = browser_of(alice), Plan.objects.get()
    for number, first, count in ((1, "000", 50), (3, "100", 20)):
        with django_assert_max_num_queries(13):
            answer = opened(browser, plan, f"?action=created&p={number}")
        assert len(answer.context["changes"]) == count
        assert answer.context["changes"][0].id == first
    assert f"{at(plan)}?action=created&amp;p=2" in answer.content.decode()


def test_the_page_shows_the_beginning_of_large_elements(alice, northwind):
    """A workbook has all of them."""
    languages = [f"{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
    large = {"descriptions": dict.fromkeys(languages, "x" * 1_000)}
    save(alice, "account", put=[account("1000", **large)])
    make(alice, "account", bulk={"put": [account("1000"), account("2000", **large)]})
    shown = opened(browser_of(alice), Plan.objects.get()).content.decode()

    assert "x" * 200 + "…" in shown
    assert "x" * 201 not in shown
    assert shown.count(" more</td>") == 2
    assert len(shown) < 150_000


@pytest.mark.contract("I1")
@pytest.mark.django_db(transaction=True)
def test_a_manager_applies_a_plan(plan, alice, northwind):
    """With its reason, or another; its page and its activity lead to each other."""
    browser = browser_of(alice)
    answer = apply(browser, plan, _reason="Merger")
    assert messages_of(answer) == ["The change proposal was applied."]
    assert stored(northwind) == {"1": "Money", "3": "New", "4": "Cash"}
    plan.refresh_from_db()
    one = ChangeSet.objects.get(channel=Channel.PLAN)
    assert (plan.status, plan.change_set, plan.applied_by) == (PlanStatus.APPLIED, one.pk, "alice")
    assert "Merger" in answer.content.decode()
    assert (one.reason, one.operation) == ("Merger", str(plan.pk))
    activity = page(ChangeSet, "change", one.pk)
    assert activity in answer.content.decode()
    assert "To the change proposal" in browser.get(activity).content.decode()
    assert browser.get(page(ChangeSet, "job", one.pk))["Location"] == at(plan)
    assert 'id="apply-form"' not in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_reason_of_the_plan_is_proposed(plan, alice):
    apply(browser_of(alice), plan)
    assert ChangeSet.objects.get(channel=Channel.PLAN).reason == "Year-end"


@pytest.mark.contract("I2")
def test_a_required_reason_is_asked_for(plan, alice, northwind):
    Repository.objects.update(requires_reason=True)
    browser = browser_of(alice)
    answer = apply(browser, plan, _reason=" ")
    assert "requires a reason for every change" in answer.content.decode()
    assert len(stored(northwind)) == 3
    assert messages_of(apply(browser, plan, answer, _reason="Now")) == ["The change proposal was applied."]


def test_who_may_not_apply_it_sees_what_is_missing(plan, rita, ed, alice, northwind):
    """A plan that deletes needs a manager, another one an editor; what is sent anyway is refused."""
    before = stored(northwind)
    etag = opened(browser_of(alice), plan).context["etag"]
    for person in (rita, ed):
        browser = browser_of(person)
        assert "you need the role manager" in opened(browser, plan).content.decode()
        assert browser.post(at(plan, "apply"), {"etag": etag}).status_code == 403
    browser = browser_of(rita)
    for name in ("remove", "again"):
        assert browser.post(at(plan, name)).status_code == 403
    assert "Delete the change proposal" not in opened(browser, plan).content.decode()
    assert stored(northwind) == before
    make(ed, "account", bulk={"put": [account("9")]})
    harmless = Plan.objects.latest("created_at")
    assert "you need the role editor" in opened(browser, harmless).content.decode()
    assert messages_of(apply(browser_of(ed), harmless)) == ["The change proposal was applied."]


def test_only_what_was_seen_is_applied(plan, alice, northwind):
    browser = browser_of(alice)
    answer = browser.post(at(plan, "apply"), {"etag": "x"}, follow=True)
    assert messages_of(answer) == ["The proposal is not as you saw it. Check it again, and decide then."]
    assert len(stored(northwind)) == 3


def test_an_outdated_plan_names_what_has_changed(plan, alice, northwind):
    """And nothing is saved."""
    alice.send("PATCH", alice.account("elements/2"), {"descriptions": {"en": "Credits"}})
    before = stored(northwind)
    answer = apply(browser_of(alice), plan)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "Nothing was changed: what the proposal concerns has changed since it was made." in text
    assert [(one.id, one.text) for one in answer.context["errors"]] == [("2", "It has changed since.")]
    assert answer.context["errors"][0].address == page(Account, "change", Account.objects.get(element_id="2").pk)
    assert stored(northwind) == before
    assert "Make the change proposal again" not in text  # the service does not have the list any more


@pytest.mark.django_db(transaction=True)
def test_a_plan_is_applied_once(plan, alice):
    browser = browser_of(alice)
    shown = opened(browser, plan)
    apply(browser, plan)
    answer = apply(browser, plan, shown)
    assert "The change proposal is applied already." in answer.content.decode()
    assert ChangeSet.objects.filter(channel=Channel.PLAN).count() == 1


@pytest.mark.contract("K4")
def test_a_plan_with_errors_shows_them_in_words(alice, ed, northwind):
    store_accounts(northwind, account("1"), account("2"))
    make(alice, "account", snapshot=[account("1")])
    browser, plan = browser_of(alice), Plan.objects.get()
    answer = opened(browser, plan)
    text = answer.content.decode()
    assert "The change proposal cannot be applied. Nothing is changed." in text
    assert [one.text for one in answer.context["errors"]] == ["The proposal would delete more than its limit allows."]
    assert 'id="apply-form"' not in text
    sent = browser.post(at(plan, "apply"), {"etag": answer.context["etag"]})
    assert "The change proposal has errors, so it cannot be applied." in sent.content.decode()
    assert sent.context["errors"] == answer.context["errors"]


def test_a_plan_is_deleted(plan, ed, northwind):
    before = stored(northwind)
    answer = browser_of(ed).post(at(plan, "remove"), follow=True)
    assert answer.redirect_chain == [(LIST, 302)]
    assert messages_of(answer) == ["The change proposal was deleted. Nothing was changed by that."]
    assert not Plan.objects.exists()
    assert stored(northwind) == before


def test_a_plan_is_exported_to_a_workbook(plan, rita):
    """Id, action, field by label, before, after and path of everything that it does."""
    answer = browser_of(rita).get(at(plan, "export"))
    assert 'filename="northwind-account-plan.xlsx"' in answer["Content-Disposition"]
    sheet = load_workbook(io.BytesIO(content(answer))).worksheets[0]
    headings, *rows = sheet.iter_rows(values_only=True)
    assert headings == ("Id", "Action", "Field", "Before", "After", "Path")
    assert ("1", "Changed", "Description (en)", "Cash", "Money", "descriptions.en") in rows
    assert ("2", "Deleted", "Description (en)", "Loans", "not set", "descriptions.en") in rows
    assert ("3", "Created", "Type", "not set", "Normal", "type") in rows


@pytest.mark.contract("C3")
def test_an_entry_without_a_text_is_not_a_missing_one(alice, northwind):
    store_accounts(
        northwind,
        account("1", descriptions={"en": "A", "de": None}),
        account("2", descriptions={"en": "A", "de": None, "it": "B"}),
    )
    changed = [
        account("1", descriptions={"en": "A"}),
        account("2", descriptions={"en": "A", "de": "C", "fr": None, "it": None}),
    ]
    make(alice, "account", bulk={"put": changed})
    one, other = opened(browser_of(alice), Plan.objects.get()).context["changes"]
    assert [(at.path, at.before, at.after) for at in one.differences] == [("descriptions.de", "no text", "not set")]
    assert sorted((at.path, at.before, at.after) for at in other.differences) == [
        ("descriptions.de", "no text", "C"),
        ("descriptions.fr", "not set", "no text"),
        ("descriptions.it", "B", "no text"),
    ]
