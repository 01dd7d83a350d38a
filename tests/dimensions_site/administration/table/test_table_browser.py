"""The table in a real browser: keys as in a spreadsheet, the clipboard, undo, suggestions, and all of it readable."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from account.models import Account
from bulkops.models import Plan
from tests.browser import WIDTHS, fits, follow, signed_in
from tests.dimensions_site.administration.elements.test_element_form_browser import SAVE_ELSEWHERE
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.readable import show_in, violations
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("K4"), pytest.mark.django_db(transaction=True)]

CLIPBOARD = ["clipboard-read", "clipboard-write"]


@pytest.fixture
def chart(northwind):
    """Six accounts, one with a text of two lines."""
    store_accounts(
        northwind,
        *(account(f"{number:04}", descriptions={"en": f"Text {number}", "de": "Alt"}) for number in range(10, 60, 10)),
        account("0060", descriptions={"en": "one\ntwo", "de": 'with "marks"'}),
    )


@pytest.fixture
def edit(chart: None, ed: Any, visit: Any) -> Any:
    """Opens the table in Ed's browser."""

    def edit(look: Any, **options: Any) -> Any:
        given = {"storage_state": signed_in(browser_of(ed)), "permissions": CLIPBOARD, **options}
        return visit(page(Account, "table"), look, **{"viewport": {"width": 1280, "height": 800}, **given})

    return edit


def cell(tab: Page, row: int, column: int) -> Locator:
    return tab.get_by_role("row").filter(has=tab.get_by_role("gridcell")).nth(row).get_by_role("gridcell").nth(column)


def changed(tab: Page, count: int) -> None:
    expect(tab.get_by_text(f"Changed cells: {count}")).to_be_visible()


def check(tab: Page) -> None:
    follow(tab.get_by_role("button", name="Check table", exact=True))
    expect(tab.get_by_role("grid", name="Edit as a table")).to_be_visible()


# As Firefox sends it.
PASTE_INTO_THE_PAGE = """() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", "0090\\n0091");
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def test_what_the_browser_pastes_into_the_page_arrives_at_the_selected_cell(edit):
    """But not if the cursor is elsewhere."""

    def look(tab: Page) -> None:
        tab.get_by_role("button", name="Fill down").focus()
        tab.evaluate(PASTE_INTO_THE_PAGE)
        cell(tab, 1, 1).click()
        changed(tab, 0)
        tab.evaluate(PASTE_INTO_THE_PAGE)
        changed(tab, 2)
        expect(cell(tab, 1, 1)).to_have_text("0090")
        expect(cell(tab, 2, 1)).to_have_text("0091")

    edit(look)


def test_keys_work_as_in_a_spreadsheet(edit):
    """Typing replaces, Enter moves down, Tab right, Escape gives up, Delete empties, and each step can be undone."""

    def look(tab: Page) -> None:
        cell(tab, 0, 1).click()
        tab.keyboard.type("First")
        tab.keyboard.press("Enter")
        expect(cell(tab, 1, 1)).to_be_focused()
        tab.keyboard.type("Second")
        tab.keyboard.press("Tab")
        expect(cell(tab, 1, 2)).to_be_focused()
        tab.keyboard.press("F2")
        tab.keyboard.type("er")
        tab.keyboard.press("Enter")
        expect(cell(tab, 1, 2)).to_have_text("Alter")
        tab.keyboard.type("never")
        tab.keyboard.press("Escape")
        expect(cell(tab, 2, 2)).to_have_text("Alt")
        changed(tab, 3)
        tab.keyboard.press("Shift+ArrowDown")
        tab.keyboard.press("Delete")
        changed(tab, 5)
        tab.keyboard.press("Control+z")
        changed(tab, 3)
        tab.keyboard.press("ArrowUp")
        for _ in range(2):
            tab.keyboard.press("Shift+ArrowDown")
        tab.keyboard.press("Control+d")
        expect(cell(tab, 3, 2)).to_have_text("Alter")
        changed(tab, 5)
        tab.get_by_role("button", name="Undo typing").click()
        changed(tab, 3)
        # The keyboard is not caught.
        cell(tab, 0, 1).click()
        tab.keyboard.press("Tab")
        expect(tab.get_by_role("link", name="Back to the list").last).to_be_focused()
        tab.on("dialog", lambda dialog: dialog.accept())

    edit(look)


def test_the_clipboard_speaks_with_spreadsheets(edit):
    """The first cell is ready for it; leading zeros stay, quoted cells keep their line breaks, and what does not fit is
    said.
    """

    def look(tab: Page) -> str:
        tab.evaluate('navigator.clipboard.writeText(\'0090\\t"a\\nb ""c"""\\r\\n0091\\r\\n\')')
        expect(cell(tab, 0, 1)).to_be_focused()
        tab.keyboard.press("Control+v")
        expect(cell(tab, 1, 1)).to_have_text("0091")
        expect(cell(tab, 0, 1)).to_have_text("0090")
        assert cell(tab, 0, 2).text_content() == 'a\nb "c"'
        expect(cell(tab, 1, 2)).to_have_text("")
        changed(tab, 4)
        tab.keyboard.press("Control+z")
        changed(tab, 0)
        tab.evaluate("navigator.clipboard.writeText('1\\n2\\n3')")
        cell(tab, 4, 1).click()
        tab.keyboard.press("Control+v")
        expect(tab.get_by_role("columnheader", name="Id", exact=True)).to_have_count(2)
        expect(cell(tab, 6, 2)).to_have_text("3")
        changed(tab, 4)
        tab.keyboard.press("Control+z")
        expect(cell(tab, 6, 0)).to_have_count(0)
        changed(tab, 0)
        cell(tab, 5, 2).click()
        tab.keyboard.press("Shift+ArrowRight")
        tab.keyboard.press("Control+c")
        copied: str = tab.evaluate("navigator.clipboard.readText()")
        return copied

    assert edit(look) == '"one\ntwo"\t"with ""marks"""'


def test_a_block_of_a_spreadsheet_makes_new_rows(edit):
    """From *Add a row* on, ids have a column of their own, in which those of stored rows stay as they are."""

    def look(tab: Page) -> None:
        tab.get_by_role("button", name="Add a row").click()
        expect(cell(tab, 6, 1)).to_be_visible()
        tab.evaluate("navigator.clipboard.writeText('0070\\tReceivables\\tForderungen\\r\\n0080\\tPayables')")
        tab.keyboard.press("Control+v")
        expect(cell(tab, 7, 1)).to_have_text("0080")
        expect(cell(tab, 6, 3)).to_have_text("Forderungen")
        tab.keyboard.press("Control+z")
        changed(tab, 0)
        tab.keyboard.press("Control+v")
        cell(tab, 0, 1).click()
        tab.keyboard.press("Delete")
        tab.keyboard.type("x")
        expect(cell(tab, 0, 1)).to_have_text("0010")
        changed(tab, 5)
        check(tab)
        expect(tab.get_by_role("alert")).to_contain_text("Nothing was saved: there are 4 errors.")
        tab.get_by_role("button", name="0080", exact=True).first.click()
        for row in (6, 7):
            cell(tab, row, 4).click()
            tab.keyboard.type("Balance sheet")
            tab.keyboard.press("Enter")
        check(tab)
        expect(tab.get_by_text("2 rows would be new,")).to_be_visible()
        follow(tab.get_by_role("button", name="Save", exact=True))

    edit(look)
    assert Account.objects.get(element_id="0070").descriptions == {"en": "Receivables", "de": "Forderungen"}


def test_errors_of_ids_lead_to_the_rows_that_were_added(edit):
    """To the one with an id that is stored, and to the one without an id, which its heading calls +."""

    def look(tab: Page) -> None:
        tab.get_by_role("button", name="Add a row").click()
        expect(cell(tab, 6, 1)).to_be_visible()
        tab.evaluate("navigator.clipboard.writeText('0010\\tReceivables\\r\\n\\tPayables')")
        tab.keyboard.press("Control+v")
        check(tab)
        tab.get_by_role("alert").get_by_role("button", name="0010", exact=True).click()
        tab.keyboard.type("0070")
        tab.keyboard.press("Enter")
        tab.get_by_role("alert").get_by_role("button", name="+", exact=True).click()
        tab.keyboard.type("0080")
        tab.keyboard.press("Enter")
        expect(cell(tab, 6, 1)).to_have_text("0070")
        expect(cell(tab, 7, 1)).to_have_text("0080")

    edit(look)


def test_a_row_that_is_added_to_a_long_table_is_in_sight_and_takes_what_is_typed(edit, northwind):
    store_accounts(northwind, *(account(f"1{number:03}") for number in range(100)))

    def look(tab: Page) -> None:
        for id in ("9001", "9002"):
            tab.get_by_role("button", name="Add a row").click()
            new = tab.get_by_role("row").filter(has_text=re.compile(r"^\+")).last
            expect(new).to_be_in_viewport()
            tab.keyboard.type(id)
            tab.keyboard.press("Enter")
            expect(tab.get_by_role("gridcell", name=id)).to_be_in_viewport()
        changed(tab, 2)
        tab.evaluate("navigator.clipboard.writeText('9003\\tThree\\n9004\\tFour\\n9005\\tFive')")
        tab.keyboard.press("Control+v")
        expect(tab.get_by_role("gridcell", name="Five")).to_be_in_viewport()
        changed(tab, 7)

    edit(look)


def test_a_text_of_several_lines_stays_as_it_is_when_it_is_only_looked_at(edit):
    def look(tab: Page) -> None:
        cell(tab, 5, 1).dblclick()
        tab.keyboard.press("Tab")
        changed(tab, 0)

    edit(look)


def test_values_and_references_are_chosen_from_lists(edit):
    """A reference by its text; an id that no element has is accepted, and named after the check."""

    def look(tab: Page) -> None:
        cell(tab, 0, 3).click()
        tab.keyboard.type("prof")
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
        expect(cell(tab, 0, 3)).to_have_text("Profit and loss")
        tab.get_by_text("Columns", exact=True).click()
        tab.get_by_label("Reference account for the initial balance").check()
        follow(tab.get_by_role("button", name="Show these columns"))
        changed(tab, 1)
        last = tab.get_by_role("columnheader").count() - 1
        cell(tab, 0, last).click()
        tab.keyboard.type("Text 3")
        tab.get_by_text("0030 Text 30").wait_for()
        expect(tab.get_by_role("textbox", name="Reference account for the initial balance")).to_have_value("Text 3")
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
        expect(cell(tab, 0, last)).to_have_text("0030")
        cell(tab, 1, last).click()
        tab.keyboard.type("XYZ")
        tab.get_by_text("Nothing was found. An id that is not listed is accepted, too.").wait_for()
        tab.keyboard.press("Enter")
        expect(cell(tab, 1, last)).to_have_text("XYZ")
        check(tab)
        expect(tab.get_by_text("The ids in these cells do not exist in the repository.")).to_be_visible()

    edit(look)
    assert Plan.objects.get().changed == 2


def test_a_conflict_is_decided_in_the_table(edit):
    form = page(Account, "change", Account.objects.get(element_id="0010").pk)

    def look(tab: Page) -> None:
        cell(tab, 0, 2).click()
        tab.keyboard.type("Mine")
        tab.keyboard.press("Enter")
        tab.evaluate(SAVE_ELSEWHERE.replace("location", f"'{form}'"), {"descriptions:1:text": "Theirs"})
        check(tab)
        conflict = tab.get_by_role("group", name="0010 · Description (de)")
        for text in ("Alt", "Theirs", "Mine"):
            expect(conflict).to_contain_text(text)
        conflict.get_by_label("Stored now").check()
        expect(cell(tab, 0, 2)).to_have_text("Theirs")
        changed(tab, 0)
        conflict.get_by_label("Yours").check()
        changed(tab, 1)
        check(tab)
        expect(tab.get_by_text("1 row would be changed,")).to_be_visible()

    edit(look)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_everybody_can_read_the_table_in_every_state(edit, scheme, width):
    """With an error at a cell, an open list and open columns; on a phone, a message says that more room is needed."""

    def look(tab: Page) -> None:
        if width == WIDTHS["phone"]:
            expect(tab.get_by_text("This table needs a wider screen.")).to_be_visible()
        else:
            cell(tab, 0, 3).click()
            tab.keyboard.type("Nonsense")
            tab.keyboard.press("Enter")
            check(tab)
            expect(tab.get_by_role("alert")).to_be_focused()
            tab.get_by_role("button", name="0010", exact=True).click()
            expect(cell(tab, 0, 3)).to_have_attribute("aria-invalid", "true")
            tab.get_by_text("Columns", exact=True).click()
            cell(tab, 0, 3).dblclick()
            tab.get_by_text("Balance sheet", exact=True).last.wait_for()
        show_in(tab, scheme)
        assert violations(tab) == []
        assert fits(tab)

    edit(look, viewport={"width": width, "height": 800}, color_scheme=scheme)
