"""Accountants find accounts: on a phone, by Ctrl-K from any page, in a long list, and in the tree of number ranges."""

from playwright.sync_api import expect

from tests.browser import WIDTHS, fits
from tests.stories.keyboard import focused, tab_to
from tests.stories.pages import go, more

# The numbers of the cards whose lower edge is above 2,000 px.
CARDS_IN_2000_PX = """() => [...document.querySelectorAll("#result_list tbody tr")]
  .filter(row => row.getBoundingClientRect().bottom + scrollY <= 2000).length"""


def test_on_a_phone_she_scans_short_cards_and_reaches_import_and_export(alice):
    """Each has the id, the description and two facts; the whole chart is not hundreds of screens long."""
    alice.set_viewport_size({"width": WIDTHS["phone"], "height": 844})
    go(alice, "Accounts")
    assert alice.evaluate(CARDS_IN_2000_PX) >= 15
    card = alice.locator("#result_list tbody tr").first
    expect(card.get_by_role("link")).to_have_count(2)
    expect(card.locator("td:visible, th:visible")).to_have_count(5)
    expect(card).to_contain_text("0010")
    expect(card).to_contain_text("Employees at the end of the period")
    expect(card).to_contain_text("Other balances")
    expect(card.get_by_role("checkbox", name="Select 0010")).to_be_visible()
    for name in ("Import", "Export"):
        expect(alice.get_by_role("link", name=name, exact=True)).to_be_in_viewport()
    assert fits(alice)


def test_the_search_opens_by_its_button_and_closes_by_escape(alice):
    """Nobody has to know the keys; an arrow chooses another result than the first."""
    tab_to(alice, "Search")
    alice.keyboard.press("Enter")
    expect(alice.get_by_role("searchbox", name="Search pages, accounts and currencies")).to_be_focused()
    assert focused(alice) == "Search pages, accounts and currencies"
    alice.keyboard.type("deleted")
    results = alice.locator("#command-results li")
    expect(results).to_have_count(2)
    expect(results.nth(1)).to_contain_text("Deleted accounts")
    alice.keyboard.press("ArrowDown")
    alice.keyboard.press("ArrowDown")
    expect(results.nth(1)).to_have_class("group active")
    alice.keyboard.press("Escape")
    alice.keyboard.press("Escape")
    expect(alice.get_by_role("dialog", name="Search")).to_be_hidden()


def test_the_header_of_a_long_list_stays_in_sight_and_nothing_is_cut_off(alice):
    """At 1,280 px all columns are there, with the sidebar open."""
    go(alice, "Accounts")
    assert fits(alice)
    for header in alice.locator("#result_list thead th").all():
        box = header.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= WIDTHS["desk"]
    alice.locator("#result_list tbody tr").last.scroll_into_view_if_needed()
    header = alice.get_by_role("columnheader", name="Description")
    expect(header).to_be_in_viewport()
    with alice.expect_navigation(url="**o=2*"):
        header.get_by_role("link").click()
    expect(alice.get_by_role("columnheader", name="Description")).to_have_attribute("aria-sort", "ascending")


def test_she_walks_the_tree_by_keyboard_to_an_account(alice):
    """A range opens when it is asked for, and shows what is below."""
    go(alice, "Accounts")
    more(alice, "Tree")
    for beginning, below in (("A…", "A.2…"), ("A.2…", "A.21"), ("A.21", "A.21.190")):
        tab_to(alice, f"{beginning}…")
        alice.keyboard.press("Enter")
        expect(alice.locator(".tree li", has_text=below).last).to_be_visible()
    expect(alice.get_by_text("Loss allowance for expected credit losses on trade receivables")).to_be_visible()
    tab_to(alice, "A.21.190")
    with alice.expect_navigation(url="**/change/"):
        alice.keyboard.press("Enter")
    expect(alice.get_by_role("heading", name="A.21.190").first).to_be_visible()
