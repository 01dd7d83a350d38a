"""What a list shows is a file for people, too: the same columns, with headings, texts and days as on the page."""

import csv
import io
from datetime import UTC, datetime

import pytest
from openpyxl import load_workbook

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.files.test_export import offered, select
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account, content
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("G2")

COLUMNS = "descriptions,nature,rules.grossAmountEqualICSum,dataEntryAndReporting.validity.startDate,updateInfo.date"


@pytest.fixture
def chart(northwind, contoso):
    """Two accounts in Northwind, and one in Contoso."""
    begins = {"validity": {"startDate": "2026-01-31T00:00:00.000+0000"}}
    store_accounts(
        northwind,
        account("0100", descriptions={"en": "Cash " * 50, "de": "Kasse"}, rules={"grossAmountEqualICSum": True}),
        account("1100", descriptions={"fr": "=Banque"}, dataEntryAndReporting=begins, nature="PROFIT_AND_LOSS"),
    )
    store_accounts(contoso, account("1000C"))
    Account.objects.update(update_date=datetime(2026, 7, 1, 22, 30, tzinfo=UTC))


def rows(answer):
    """The rows of the table in CSV."""
    return list(csv.reader(io.StringIO(content(answer).decode("utf-8-sig"))))


def read(browser, query="", format="csv", **further):
    """Press the button for a file to read."""
    shown = browser.get(offered(browser, query))
    sent = {"action": "export_elements", "_selected_action": "0", "select_across": "1", "shown": format, **further}
    return browser.post(shown.context["address"], sent)


def test_the_file_has_the_columns_and_texts_of_the_list(chart, rita):
    """In full; a text that a spreadsheet program might run begins with an apostrophe."""
    browser = browser_of(rita)
    browser.cookies["zone"] = "Europe/Berlin"
    answer = read(browser, f"?columns={COLUMNS}")
    name = f"accounts-list-{datetime.now(UTC):%Y-%m-%d}.csv"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    headings, *found = rows(answer)
    sum_rule = "Gross amount equals intercompany sum"
    assert headings == ["Id", "Description", "Nature", sum_rule, "Valid from", "Changed on"]
    assert found == [
        ["0100", "Cash " * 50, "Balance sheet", "yes", "", "2026-07-02 00:30"],
        ["1100", "'=Banque", "Profit and loss", "no", "2026-01-31", "2026-07-02 00:30"],
    ]


def test_a_workbook_has_texts_as_they_are_in_the_language_of_the_page(chart, rita):
    browser = browser_of(rita)
    browser.cookies["django_language"] = "de"
    book = load_workbook(io.BytesIO(content(read(browser, f"?columns={COLUMNS}", "xlsx"))))
    headings, *found = book.worksheets[0].iter_rows(values_only=True)
    assert headings[:3] == ("Id", "Beschreibung", "Kontoart")
    assert [row[1] for row in found] == ["Kasse", "=Banque"]
    assert found[1][4] == "31.01.2026"


def test_it_has_the_rows_of_the_list_or_the_selected_ones(chart, rita, northwind):
    browser = browser_of(rita)
    assert [row[0] for row in rows(read(browser, "?q=banque"))[1:]] == ["1100"]
    selected = select(browser, northwind, "0100")
    sent = {"action": "export_elements", "_selected_action": selected.context["selected"], "select_across": "0"}
    assert [row[0] for row in rows(browser.post(page(Account), {**sent, "shown": "csv"}))[1:]] == ["0100"]


def test_several_repositories_are_one_file_with_a_column_for_them(chart, rita, contoso):
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    browser = browser_of(rita)
    headings, *found = rows(read(browser, "?q="))
    assert headings[-1] == "Repository"
    assert [(row[0], row[-1]) for row in found] == [("0100", "northwind"), ("1100", "northwind"), ("1000C", "contoso")]


def test_the_page_says_what_each_file_is_for(chart, rita):
    text = browser_of(rita).get(page(Account, "export_file")).content.decode()
    assert "Such a file cannot be imported." in text
    assert "Id · Description · Nature" in text
    assert "To change and import again" in text
