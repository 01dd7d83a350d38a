"""Leaving elements out of a plan, and bringing over chosen elements: each makes a plan of its own."""

import pytest
from playwright.sync_api import Page, expect

from account.models import Account
from bulkops.models import Plan, PlanStatus
from dimensions_site.repositories.models import AccessGrant, Role
from tests.browser import follow, signed_in
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.elements.test_element_form_browser import Dialogs
from tests.dimensions_site.administration.plans.plan_pages import apply, at, opened, planned
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("K4", "K6", "G2"), pytest.mark.django_db]


@pytest.fixture
def plan(alice, northwind):
    """A plan that creates 3 and 4, changes 1 and deletes 2."""
    store_accounts(northwind, account("1"), account("2"))
    put = [account("1", descriptions={"en": "Money"}), account("3"), account("4")]
    make(alice, "account", bulk={"put": put, "delete": [{"id": "2"}]}, maxDelete="100%", reason="Year-end")
    return Plan.objects.get()


def without(browser, plan, *ids):
    return browser.post(at(plan, "without"), {"ids": ids}, follow=True)


def stored(repository):
    return {one.element_id: one.descriptions["en"] for one in Account.of(repository).order_by("element_id")}


def test_a_plan_without_some_elements_is_a_plan_of_its_own(plan, alice, northwind):
    """The first one stays as it was seen, and is applied exactly as it was seen, or not at all."""
    browser = browser_of(alice)
    assert 'form="without-form" name="ids" value="3"' in opened(browser, plan).content.decode()
    other = planned(without(browser, plan, "2", "3"))
    assert [one.id for one in opened(browser, other).context["changes"]] == ["1", "4"]
    assert (other.created, other.changed, other.deleted, other.reason) == (1, 1, 0, "Year-end")
    assert other.scope == "id=out=(2,3)"
    assert 0 < other.size < plan.size
    assert opened(browser, plan).context["page"].paginator.count == 4
    assert messages_of(apply(browser, other)) == ["The change proposal was applied."]
    assert stored(northwind) == {"1": "Money", "2": "Cash", "4": "Cash"}


def test_it_is_left_out_beside_what_was_left_out_before(plan, alice):
    browser = browser_of(alice)
    other = planned(without(browser, planned(without(browser, plan, "2")), "4"))
    assert other.scope == "id=out=(2);id=out=(4)"
    assert [one.id for one in opened(browser, other).context["changes"]] == ["1", "3"]


def test_an_editor_may_leave_out_what_only_a_manager_may_delete(plan, ed, rita, northwind):
    browser = browser_of(ed)
    deleting = planned(without(browser, plan, "1"))
    assert browser.post(at(deleting, "apply"), {}).status_code == 403
    other = planned(without(browser, plan, "2"))
    assert messages_of(apply(browser, other)) == ["The change proposal was applied."]
    assert browser_of(rita).post(at(plan, "without"), {"ids": ["1"]}).status_code == 403


def test_what_cannot_be_left_out_is_said(plan, alice):
    """Nothing is ticked, or more than a filter can name."""
    browser = browser_of(alice)
    nothing = without(browser, plan)
    assert messages_of(nothing) == ["Nothing is left out. Tick what the proposal is to leave as it is."]
    (message,) = messages_of(without(browser, plan, *(f"{number}" for number in range(101))))
    assert "100" in message
    Plan.objects.update(status=PlanStatus.APPLIED)
    assert messages_of(without(browser, plan, "1")) == ["The change proposal is applied already."]
    assert Plan.objects.count() == 1


@pytest.mark.contract("J2")
def test_ticked_differences_alone_are_brought_over(alice, northwind, contoso):
    """Without a tick all of them are; a filter holds, too."""
    store_accounts(northwind, account("1"))
    store_accounts(contoso, account("1", descriptions={"en": "Money"}), account("2"), account("3", type="DETAIL"))
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    browser = browser_of(alice)
    sides = f"from_repository={northwind.pk}&from=&repository={contoso.pk}&to=&filter=type==NORMAL"
    assert (
        'form="bring-form" name="ids" value="2"' in browser.get(f"{page(Account, 'compare')}?{sides}").content.decode()
    )
    address = f"{page(Account, 'compare_plan')}?{sides}"
    plan = planned(browser.post(address, {"into": "from", "ids": ["2", "3"]}, follow=True))
    assert (plan.created, plan.changed, plan.deleted) == (1, 0, 0)
    assert planned(browser.post(address, {"into": "from"}, follow=True)).changed == 1
    answer = browser.post(address, {"into": "from", "ids": [f"{number}" for number in range(101)]}, follow=True)
    assert Plan.objects.count() == 2
    assert "100" in messages_of(answer)[0]


@pytest.mark.django_db(transaction=True)
def test_ticks_are_neither_lost_nor_passed_over_unasked(plan, alice, northwind, contoso, visit):
    """By the next page, another button, or a link; not by a file, and not by the button that takes them."""
    store_accounts(contoso, *(account(f"{number}") for number in range(100, 160)))
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    browser = browser_of(alice)

    def tick(opened: Page, id: str) -> None:
        opened.locator(f"[name='ids'][value='{id}']").check()

    def look_at_comparison(opened: Page) -> None:
        """The part with the differences is loaded when a side is chosen."""
        dialogs = Dialogs(opened)
        opened.locator("[name='from_repository']").select_option(str(northwind.pk))
        tick(opened, "101")
        dialogs.ask_at(opened.get_by_role("link", name="Page 2"))
        with opened.expect_download():
            opened.get_by_role("link", name="Export to Excel").click()
        expect(opened.locator("[name='ids'][value='101']")).to_be_checked()
        dialogs.ask_at(opened.get_by_role("link", name="Page 2"))
        follow(opened.get_by_role("button", name="Copy from contoso"))
        assert dialogs.asked == ["beforeunload"] * 2

    def look_at_plan(opened: Page) -> None:
        dialogs = Dialogs(opened)
        tick(opened, "3")
        # A button that was pressed before is no double click.
        for _press in range(2):
            dialogs.ask_at(opened.get_by_role("button", name="Apply", exact=True))
        follow(opened.get_by_role("button", name="Leave out the ticked ones"))
        assert dialogs.asked == ["beforeunload"] * 2

    sides = f"from_repository={contoso.pk}&repository={contoso.pk}"
    visit(f"{page(Account, 'compare')}?{sides}", look_at_comparison, storage_state=signed_in(browser))
    visit(at(plan), look_at_plan, storage_state=signed_in(browser))
    assert sorted(Plan.objects.values_list("created", "changed", "deleted")) == [(1, 0, 0), (1, 1, 1), (2, 1, 1)]
    assert not Plan.objects.filter(status=PlanStatus.APPLIED).exists()
