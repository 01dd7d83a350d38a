"""From the form of one element to the next, to a copy, and to another new one."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from account.models import Account
from currency.models import Currency
from tests.browser import follow, signed_in
from tests.dimensions_site.administration.site.pages import filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies


@pytest.fixture
def chart(northwind: Any) -> None:
    store_accounts(
        northwind,
        account("1", descriptions={"en": "Cash"}),
        account("2", descriptions={"en": "Bank"}, nature="PROFIT_AND_LOSS"),
        account("3", descriptions={"en": "Assets"}),
    )


def key(id: str) -> int:
    return Account.objects.get(element_id=id).pk


def arrived(browser: Any, id: str, direction: str, **query: str) -> tuple[str, list[str]]:
    """The id of the element on the page to which a step leads, and the messages there."""
    filters = f"?{urlencode({'_changelist_filters': urlencode(query)})}" if query else ""
    answer = browser.get(f"{page(Account, direction, key(id))}{filters}", follow=True)
    assert answer.redirect_chain[0][0].endswith(filters)
    return answer.context["shown"].element.element_id, messages_of(answer)


def test_the_next_and_the_previous_are_those_of_the_list(chart, ed):
    """In its order, and within its search and filters."""
    browser = browser_of(ed)
    assert arrived(browser, "1", "next") == ("2", [])
    assert arrived(browser, "2", "previous") == ("1", [])
    by_description = browser.get(page(Account)).context["cl"].list_display.index("described")
    assert arrived(browser, "3", "next", o=f"{by_description}") == ("2", [])
    assert arrived(browser, "3", "previous", o=f"-{by_description}") == ("2", [])
    assert arrived(browser, "1", "next", nature__exact="BALANCE_SHEET") == ("3", [])
    assert arrived(browser, "1", "next", filter="nature==BALANCE_SHEET") == ("3", [])
    assert arrived(browser, "1", "next", q="as") == ("3", [])


@pytest.mark.parametrize("query", [{}, {"q": "Bank"}, {"filter": "no such filter"}, {"o": "x"}], ids=str)
def test_where_the_list_ends_the_page_says_so(chart, ed, query):
    """Also where the list does not have the element, or cannot be read."""
    found, said = arrived(browser_of(ed), "3", "next", **query)
    assert found == "3"
    assert "The list has no other account or currency there." in said


def test_a_step_reads_a_few_rows(chart, ed):
    """The database finds the neighbour."""
    browser = browser_of(ed)
    with CaptureQueriesContext(connection) as queries:
        browser.get(page(Account, "next", key("1")))
    assert len(queries) < 15


def test_a_copy_has_all_values_but_those_that_only_one_can_have(chart, ed, northwind):
    """A currency gets its own oid."""
    browser = browser_of(ed)
    address = browser.get(page(Account, "change", key("2"))).context["copy_address"]
    form = filled_in(browser.get(address))
    assert (form["id"], form["descriptions:0:text"], form["nature"]) == ("", "Bank", "PROFIT_AND_LOSS")
    assert browser.post(address, {**form, "id": "4"}).status_code == 302
    assert Account.objects.get(element_id="4").nature == "PROFIT_AND_LOSS"
    store_currencies(northwind, currency(oid="1"))
    address = f"{page(Currency, 'add')}?copy={Currency.objects.get().pk}"
    form = filled_in(browser.get(address))
    assert (form["id"], form["oid"]) == ("", "")
    assert browser.post(address, {**form, "id": "USD"}).status_code == 302
    assert len(Currency.objects.get(element_id="USD").oid) == 36


def test_after_a_save_another_new_one_can_follow_in_the_same_repository(chart, ed, northwind):
    """The button is on the form of a new element only."""
    browser = browser_of(ed)
    address = f"{page(Account, 'add')}?repository={northwind.pk}"
    shown = browser.get(address)
    assert "_addanother" in shown.content.decode()
    typed = {"id": "5", "descriptions:0:text": "X", "nature": "BALANCE_SHEET", "conversion.conversionType": "FINAL"}
    answer = browser.post(address, {**filled_in(shown), **typed, "_addanother": "1"})
    assert answer["Location"] == address
    assert "_addanother" not in browser.get(page(Account, "change", key("5"))).content.decode()


def test_a_new_account_begins_with_what_is_usual(chart, ed, northwind, visit):
    """Its nature suggests how it is converted, until somebody chooses something else."""

    def look(shown: Page) -> None:
        nature, conversion = (shown.get_by_label(name, exact=False).first for name in ("Nature", "Conversion type"))
        expect(shown.get_by_label("Type", exact=False).first).to_have_value("NORMAL")
        expect(conversion).to_have_value("")
        nature.select_option("Balance sheet")
        expect(conversion).to_have_value("FINAL")
        nature.select_option("Profit and loss")
        expect(conversion).to_have_value("AVERAGE")
        nature.select_option("Other balances")
        expect(conversion).to_have_value("")
        conversion.select_option("Historical rate")
        nature.select_option("Balance sheet")
        expect(conversion).to_have_value("HISTORICAL")
        shown.get_by_label("Id", exact=False).first.fill("6")
        follow(shown.get_by_role("button", name="Save", exact=True))
        # What was refused is not overwritten either.
        nature.select_option("Profit and loss")
        expect(conversion).to_have_value("HISTORICAL")

    visit(f"{page(Account, 'add')}?repository={northwind.pk}", look, storage_state=signed_in(browser_of(ed)))
    assert not Account.objects.filter(element_id="6").exists()
