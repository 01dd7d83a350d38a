"""People choose conditions, columns and views above the list in a browser, with the mouse, the keyboard and a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser import fits, follow, signed_in
from tests.dimensions_site.administration.elements.dated import TYPED, store_chart
from tests.dimensions_site.administration.lists.lists import LIST
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db(transaction=True)

MISSING = f"{LIST}?filter=nature==PROFIT_AND_LOSS;descriptions.de=isnull=true"


def follow_to(tab, button):
    """Press what the list itself answers with another address."""
    with tab.expect_navigation():
        tab.get_by_role("button", name=button).click()


def test_columns_are_added_and_moved_in_place(chart, alice, visit):
    """The focus stays at the button of the place."""

    def look(tab):
        tab.get_by_role("link", name="Columns", exact=True).click()
        tab.get_by_role("button", name="Remove Class").click()
        expect(tab.get_by_role("button", name="Remove Class")).to_have_count(0)
        tab.get_by_label("Search for a field").fill("german")
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("button", name="Move Description (de) forward")).to_be_visible()
        tab.get_by_role("button", name="Move Changed by forward").click()
        expect(tab.locator(".chosen-columns li").nth(2)).to_contain_text("Changed by")
        follow_to(tab, "Show these columns")
        headings = tab.locator("#result_list thead th").all_inner_texts()
        assert [heading.split("\n")[0].strip() for heading in headings[1:]] == [
            *("Id", "Description", "Nature", "Changed by", "Type", "Description (de)")
        ]

    columns = "descriptions,nature,type,dataEntryAndReporting.class,updateInfo.user"
    visit(f"{LIST}?columns={columns}", look, storage_state=signed_in(browser_of(alice)))


def test_the_filter_is_copied_and_edited_as_text(chart, alice, visit):
    def look(tab):
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.get_by_text("More", exact=True).click()
        tab.get_by_text("For developers: RSQL").click()
        tab.get_by_role("button", name="Copy").click()
        expect(tab.get_by_role("button", name="Copied")).to_be_visible()
        assert tab.evaluate("navigator.clipboard.readText()") == "nature==PROFIT_AND_LOSS;descriptions.de=isnull=true"
        tab.get_by_label("Filter", exact=True).fill("nature==PROFIT_AND_LOSS;;")
        follow(tab.get_by_role("button", name="Apply", exact=True))
        expect(tab.get_by_role("alert")).to_contain_text("Nothing is shown, because the filter is invalid.")
        expect(tab.get_by_label("Filter", exact=True)).to_have_value("nature==PROFIT_AND_LOSS;;")

    visit(MISSING, look, storage_state=signed_in(browser_of(alice)))


@pytest.mark.parametrize(("language", "many"), [("en", False), ("en", True), ("de", True)])
def test_a_table_that_is_too_wide_scrolls_in_its_own_box(chart, alice, visit, language, many):
    """The page does not; a table that fits keeps its header in sight."""

    def look(tab):
        expect(tab.locator(".element-list.is-wide")).to_have_count(int(many))
        assert fits(tab)

    languages = [f"descriptions.{key}" for key in ("de", "en", "fr", "it", "es")]
    fields = ["nature", "type", "conversion.conversionType", "documentationLink", "rules.grossAmountEqualICSum"]
    columns = ",".join([*languages, *fields] if many else ["descriptions", "nature"])
    options = {"storage_state": signed_in(browser_of(alice)), "locale": language}
    visit(f"{LIST}?columns={columns}", look, **options, viewport={"width": 1280, "height": 800})


def test_high_rows_break_no_word(chart, alice, visit):
    """The description takes the room that the words of the others leave."""

    def look(tab):
        narrow = tab.locator("td.field-type").first
        # No line holds a part of the word: the cell is as wide as on one line.
        wrapped = narrow.evaluate("cell => cell.getBoundingClientRect().width")
        narrow.evaluate("cell => { cell.style.whiteSpace = 'nowrap'; }")
        assert narrow.evaluate("cell => cell.getBoundingClientRect().width") == wrapped

    options = {"storage_state": signed_in(browser_of(alice)), "viewport": {"width": 1280, "height": 800}}
    visit(f"{LIST}?density=comfortable&filter=type==NORMAL", look, **options)


def test_a_printed_list_has_each_heading_above_its_values(chart, alice, northwind, visit):
    """The boxes to select rows are not printed, and no text is cut off."""

    def look(tab):
        tab.set_viewport_size({"width": 1024, "height": 800})
        cut = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.innerText)"
        cells = tab.locator("#result_list tbody :is(td, .element-described)")
        assert any("Average number" in text for text in cells.evaluate_all(cut))
        tab.emulate_media(media="print")
        assert cells.evaluate_all(cut) == []
        left = "cells => cells.filter(cell => cell.checkVisibility()).map(cell => cell.getBoundingClientRect().left)"
        headings = tab.locator("#result_list thead th").evaluate_all(left)
        assert headings == tab.locator("#result_list tbody tr:first-child > *").evaluate_all(left)

    store_accounts(northwind, account("3000", descriptions={"en": "Average number of employees of all companies " * 2}))
    visit(LIST, look, storage_state=signed_in(browser_of(alice)))


def test_the_note_about_the_past_stands_apart_from_the_search(alice, northwind, visit):
    store_chart(alice, northwind)

    def look(tab):
        note = tab.locator(".past-note").evaluate("note => note.getBoundingClientRect().bottom")
        assert tab.locator("#searchbar").evaluate("box => box.getBoundingClientRect().top") - note >= 8

    visit(f"{LIST}?as_of={TYPED}", look, storage_state=signed_in(browser_of(alice)), timezone_id="UTC")
