"""The list is opened as a table: its elements, its columns, and who may do it."""

import json

import pytest
from django.contrib.messages import get_messages

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.dimensions_site.administration.table.grids import cells, columns, opened, send, sent_table
from tests.factories import account, add_person
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("G2")


@pytest.fixture
def chart(northwind, contoso):
    """Three accounts in Northwind, and one in Contoso."""
    store_accounts(
        northwind,
        account("0090", descriptions={"en": "Cash", "de": "Kasse"}),
        account("1100", descriptions={"en": "Bank", "fr": "Banque"}, nature="PROFIT_AND_LOSS"),
        account("2000", descriptions={"en": "Line one\r\nline two"}, rules={"grossAmountEqualICSum": True}),
    )
    store_accounts(contoso, account("9999"))


def said(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_the_table_shows_what_the_list_finds_with_labels_for_values(chart, ed):
    """First the descriptions in the languages in use, then the columns of the list."""
    shown = opened(browser_of(ed))
    assert columns(shown) == [
        "descriptions.en",
        "descriptions.de",
        "descriptions.fr",
        "nature",
        "type",
        "dataEntryAndReporting.class",
        "conversion.conversionType",
    ]
    found = cells(shown)
    assert list(found) == ["0090", "1100", "2000"]
    assert (found["0090"]["descriptions.de"], found["0090"]["nature"]) == ("Kasse", "Balance sheet")
    assert (found["1100"]["descriptions.de"], found["1100"]["nature"]) == ("", "Profit and loss")
    assert found["2000"]["descriptions.en"] == "Line one\nline two"


def test_the_table_has_the_columns_that_the_list_shows(chart, ed):
    """Those that can be changed, in their order."""
    shown = opened(browser_of(ed), "?columns=documentationLink,updateInfo.user,descriptions.fr,nature")
    assert columns(shown) == ["documentationLink", "descriptions.fr", "nature"]


def test_the_search_and_the_filters_of_the_list_decide_about_the_rows(chart, ed):
    browser = browser_of(ed)
    assert list(cells(opened(browser, "?q=banque"))) == ["1100"]
    assert list(cells(opened(browser, "?nature__exact=PROFIT_AND_LOSS"))) == ["1100"]
    button = next(
        one for one in browser.get(f"{page(Account)}?q=bank").context["actions_list"] if "table" in one["path"]
    )
    assert list(cells(browser.get(button["path"]))) == ["1100"]
    refused = opened(browser, "?no_such_filter=1")
    assert (refused.status_code, refused.url) == (302, f"{page(Account)}?no_such_filter=1")


def test_the_selected_elements_are_opened_by_an_action(chart, ed):
    keys = list(Account.objects.filter(element_id__in=["0090", "2000"]).values_list("pk", flat=True))
    data = {"action": "edit_elements", "_selected_action": keys, "select_across": "0"}
    shown = browser_of(ed).post(f"{page(Account)}?q=", data)
    assert list(cells(shown)) == ["0090", "2000"]
    assert f'action="{page(Account, "table")}?q="' in shown.content.decode()


def test_a_table_has_at_most_5_000_rows(ed, northwind, monkeypatch):
    """One more is refused, and the message says how many there are."""
    monkeypatch.setattr("dimensions_site.administration.table.page.MAX_ROWS", 2)
    store_accounts(northwind, *(account(id) for id in ("1", "2", "3")))
    refused = opened(browser_of(ed), "?q=")
    assert (refused.status_code, refused.url) == (302, f"{page(Account)}?q=")
    assert said(refused) == ["A table has at most 2 rows, and there are 3. Filter the list, or select fewer."]
    assert said(opened(browser_of(ed), "?q=nothing")) == [
        "Nothing was done: nothing was found, or it no longer exists."
    ]


def test_a_table_with_many_rows_has_fewer_columns(chart, ed, monkeypatch):
    """At most 60,000 cells; columns in which something was typed come first."""
    monkeypatch.setattr("dimensions_site.administration.table.table.MAX_CELLS", 10)
    browser = browser_of(ed)
    shown = opened(browser)
    assert columns(shown) == ["descriptions.en", "descriptions.de", "descriptions.fr"]
    message = "A table with 3 rows has at most 3 columns. Only the first ones are shown."
    assert (shown.context["table"].errors, shown.context["grid"]["maximum"]) == ([message], 3)
    chosen = {"_column": ["nature", "type", "documentationLink"]}
    again = send(browser, shown, "columns", {"0090": {"descriptions.de": "Barkasse"}}, **chosen)
    assert columns(again) == ["descriptions.de", "nature", "type"]
    assert "Up to 3 columns." in again.content.decode()


def test_a_table_has_elements_of_one_repository(chart, northwind, contoso):
    """Whoever is an editor of two has to filter the list by one of them first."""
    eve = add_person("eve", northwind, Role.EDITOR)
    AccessGrant.objects.create(user=eve.user, repository=contoso, role=Role.EDITOR)
    browser = browser_of(eve)
    assert "belongs to more than one repository" in said(opened(browser))[0]
    assert list(cells(opened(browser, f"?repository__id__exact={contoso.pk}"))) == ["9999"]
    # A row of another repository does not belong to the table.
    shown = opened(browser, f"?repository__id__exact={northwind.pk}")
    table = sent_table(shown, {})
    table["rows"].append({"id": "9999", "base": 1, "typed": {"nature": "x"}, "kept": {}})
    answer = browser.post(page(Account, "table"), {"_table": json.dumps(table), "_do": "check"})
    assert "9999" not in cells(answer)
    assert answer.context["table"].gone == ["9999"]


def test_columns_are_chosen_by_label_and_what_was_typed_stays(chart, ed):
    """An added language is a column; the columns that stay keep their places."""
    browser = browser_of(ed)
    first = opened(browser)
    chosen = {"_column": ["documentationLink", "nature"], "_map": ["descriptions", "attributes"], "_key": ["it", ""]}
    shown = send(browser, first, "columns", {"0090": {"descriptions.de": "Barkasse"}}, **chosen)
    assert columns(shown) == ["nature", "documentationLink", "descriptions.it", "descriptions.de"]
    assert cells(shown)["0090"]["descriptions.de"] == "Barkasse"
    table = shown.context["table"]
    labels = {field.heading: field.path in table.columns for group in table.groups() for field in group.fields}
    assert labels["Description (it)"]
    assert not labels["Description (en)"]
    assert not {"Id", "oid"} & labels.keys()


def test_nonsense_in_the_choice_of_columns_is_an_error_there(chart, ed):
    browser = browser_of(ed)
    first = opened(browser)
    chosen = {
        "_column": ["nature", "id", "<b>", "descriptions", "updateInfo.user"],
        "_map": ["descriptions"],
        "_key": ["?"],
    }
    shown = send(browser, first, "columns", {"0090": {"no.such": "kept?"}}, **chosen)
    assert columns(shown) == ["nature"]
    page_text = shown.content.decode()
    assert "There is no column &#x27;&lt;b&gt;&#x27;." in page_text
    assert [error for error in shown.context["table"].errors if "?" in error]
    assert "no.such: kept?" in page_text


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "nul", '{"repository": 1, "columns": [], "rows": [{"id": ""}]}', '"\\ud800"', "[" * 100_000],
)
def test_what_no_page_sends_is_refused(chart, ed, text):
    assert browser_of(ed).post(page(Account, "table"), {"_table": text, "_do": "check"}).status_code == 400


def test_a_table_with_too_many_rows_repeated_rows_or_nul_is_refused(chart, ed):
    browser = browser_of(ed)
    first = sent_table(opened(browser), {})
    row = first["rows"][0]
    for rows in ([row, row], [{**row, "id": f"{n}"} for n in range(5_001)], [{**row, "id": "a\0"}]):
        data = {"_table": json.dumps({**first, "rows": rows}), "_do": "check"}
        assert browser.post(page(Account, "table"), data).status_code == 400


def test_readers_and_strangers_get_no_table(chart, contoso, rita, bob, ed):
    """Neither by the address, nor with the table of others."""
    browser = browser_of(rita)
    assert opened(browser).status_code == 403
    of_ed = opened(browser_of(ed))
    data = {"_table": json.dumps(sent_table(of_ed, {"0090": {"type": "Detail"}})), "_do": "check"}
    assert browser.post(page(Account, "table"), data).status_code == 403
    assert browser_of(bob).post(page(Account, "table"), data).status_code == 404
    # Who reads this repository and writes in another one is a reader here.
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.PROPOSER)
    assert browser.post(page(Account, "table"), data).status_code == 404
