"""Selected elements are changed in a real browser, with the keyboard alone, on a desk and on a phone."""

import json

import pytest
from playwright.sync_api import Page, expect

from account.models import Account
from bulkops.models import Plan, PlanChange
from tests.browser import WIDTHS, fits, signed_in
from tests.dimensions_site.site_admin.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("K4"), pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_the_keyboard_alone_leads_to_a_plan(ed, northwind, visit, width):
    """A value is asked for only where one is needed, and a chosen reference brings its description along."""
    store_accounts(northwind, account("1000"), account("2000", descriptions={"en": "Bank"}))

    def look(tab: Page) -> None:
        tab.get_by_label("Select 2000").check()
        tab.get_by_label("Select action to run").select_option("change_elements")
        tab.get_by_role("button", name="Run", exact=True).press("Enter")
        expect(tab.get_by_text("1 element of the repository Northwind group is selected.")).to_be_visible()
        value = tab.get_by_label("Description en: Text", exact=True)
        expect(value).to_be_hidden()
        tab.get_by_label("Description en", exact=True).focus()
        tab.keyboard.type("Add at the e")
        tab.keyboard.press("Tab")
        expect(value).to_be_focused()
        tab.keyboard.type(" (closed)")
        tab.get_by_role("tab", name="General").focus()
        for _ in range(4):
            tab.keyboard.press("ArrowRight")
        tab.get_by_role("group", name="Debit accrual account").get_by_label("Id", exact=True).focus()
        tab.keyboard.type("Set")
        tab.keyboard.press("Tab")
        tab.keyboard.type("10")
        expect(tab.get_by_role("option", name="1000 Cash")).to_be_visible()
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
        described = tab.get_by_role("group", name="Debit accrual account").get_by_label("description: value")
        expect(described).to_have_value("Cash")
        expect(described).to_be_visible()
        assert fits(tab)
        with tab.expect_navigation():
            tab.get_by_role("button", name="Show what would change").press("Enter")
        expect(tab.get_by_text("A plan was made: 1 of 1 selected element would change.")).to_be_visible()

    options = {"storage_state": signed_in(browser_of(ed)), "viewport": {"width": width, "height": 800}}
    visit(page(Account), look, **options)
    [change] = PlanChange.objects.filter(plan=Plan.objects.get())
    assert {one["path"]: one["after"] for one in json.loads(change.changes)} == {
        "descriptions.en": "Bank (closed)",
        "rules.accrual.debitAccrual.id": "1000",
        "rules.accrual.debitAccrual.description": "Cash",
    }
