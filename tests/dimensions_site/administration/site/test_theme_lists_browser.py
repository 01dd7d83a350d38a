"""The lists that the theme shows: a table with its numbers on the right on a desk, and cards on a phone."""

import pytest
from playwright.sync_api import Page

from bulkops.models import DataProcessing, Plan
from tests.browser import WIDTHS, signed_in
from tests.bulkops.jobs.deletions import start
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db(transaction=True)

# The value of a style of the column of deleted elements.
_STYLE = "(cell, [part, name]) => getComputedStyle(cell, part)[name]"


def test_numbers_stand_on_the_right_below_their_heading(alice, northwind, visit):
    start(alice, ["1000"])

    def look(tab: Page) -> None:
        cell = tab.locator("#result_list td[class*=_number]").first
        assert cell.evaluate(_STYLE, [None, "textAlign"]) == "right"
        heading = tab.locator("#result_list th[class*=_number] > div").first
        assert heading.evaluate(_STYLE, [None, "justifyContent"]) == "flex-end"

    visit(page(DataProcessing), look, storage_state=signed_in(browser_of(alice)))


def test_the_labels_of_a_card_begin_with_a_capital_letter(alice, northwind, visit):
    """The name of the row has no label, and is as it is written."""
    start(alice, ["1000"])

    def look(tab: Page) -> None:
        cells = tab.locator("#result_list .data-row td")
        labels = [cell for cell in cells.all() if cell.evaluate(_STYLE, ["::before", "content"]) != "none"]
        assert len(labels) >= 5
        assert {cell.evaluate(_STYLE, ["::first-letter", "textTransform"]) for cell in labels} == {"uppercase"}
        named = tab.locator("#result_list .data-row th")
        assert named.evaluate(_STYLE, ["::first-letter", "textTransform"]) == "none"

    viewport = {"width": WIDTHS["phone"], "height": 844}
    visit(page(DataProcessing), look, storage_state=signed_in(browser_of(alice)), viewport=viewport)


@pytest.mark.parametrize("language", ["en", "de"])
def test_all_columns_of_the_proposals_are_in_sight(alice, northwind, visit, language):
    """Their effect is one column, in words."""
    store_accounts(northwind, account("1000"), account("1100"))
    changes = {"put": [account("1000", type="DETAIL"), account("9000")], "delete": [{"id": "1100"}]}
    make(alice, "account", bulk=changes, maxDelete=1)

    def look(tab: Page) -> None:
        table = tab.locator("#result_list")
        assert table.evaluate("table => table.getBoundingClientRect().right <= innerWidth")
        words = {
            "en": "1 to be created · 1 to be changed · 1 to be deleted",
            "de": "1 anzulegen · 1 zu ändern · 1 zu löschen",
        }
        assert words[language] in table.inner_text()

    options = {"storage_state": signed_in(browser_of(alice)), "locale": language}
    visit(page(Plan), look, viewport={"width": WIDTHS["desk"], "height": 800}, **options)
