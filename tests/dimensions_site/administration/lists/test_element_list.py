"""The list of elements: what an accountant scans, searches and filters, at the same cost however long it is."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import Account
from bulkops.models import FileImport
from dimensions_site.administration.base import paging
from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.text.formats import shortened
from tests.dimensions import MODELS
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

CHART = (
    account("1000", descriptions={"en": "Cash", "de": "Kasse"}),
    account("1100", descriptions={"de": 'Größe 100% "A\\B"', "en": None}, nature="PROFIT_AND_LOSS", type="DETAIL"),
    account("2000X", descriptions={"it": "Conto straße", "en": "Other"}, rules={"grossAmountEqualICSum": True}),
    account("3000", descriptions={"en": "a\tb", "fr": "créances клиенты"}, conversion={"conversionType": "AVERAGE"}),
)


@pytest.fixture
def chart(northwind):
    store_accounts(northwind, *CHART)


def ids(answer):
    return [element.element_id for element in answer.context["cl"].result_list]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", ["1000", "1100", "2000X", "3000"]),
        ("cash", ["1000"]),
        ("KASSE", ["1000"]),
        ("größe", ["1100"]),
        ("GRÖSSE", ["1100"]),
        ("STRASSE", ["2000X"]),
        ("КЛИЕНТЫ", ["3000"]),
        ("2000x", ["2000X"]),
        ("000", ["1000", "2000X", "3000"]),
        ("00 conto", ["2000X"]),
        ("cash conto", []),
        ("100%", ["1100"]),
        ("%", ["1100"]),
        ("_", []),
        ('"a\\b"', ["1100"]),
        ("en", []),
        ("null", []),
        ("a b", ["1000", "2000X", "3000"]),
        ("\\t", []),
    ],
)
def test_a_search_looks_in_the_id_and_in_the_descriptions_of_all_languages(chart, rita, search, found):
    """Each word must occur, whatever its case and script; names of languages are not descriptions."""
    expected = found
    if search == "a b":  # two words: both letters are somewhere
        expected = [
            body["id"]
            for body in CHART
            if all(
                any(word in text.lower() for text in (body["id"], *filter(None, body["descriptions"].values())))
                for word in search.split()
            )
        ]
    assert ids(browser_of(rita).get(page(Account), {"q": search})) == expected


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"nature__exact": "PROFIT_AND_LOSS"}, ["1100"]),
        ({"type__exact": "NORMAL"}, ["1000", "2000X", "3000"]),
        ({"account_class__exact": "ASSET"}, []),
        ({"conversion_type__exact": "AVERAGE"}, ["3000"]),
        ({"has_logic": "yes"}, ["2000X"]),
        ({"has_logic": "no"}, ["1000", "1100", "3000"]),
        ({"has_logic": "x"}, ["1000", "1100", "2000X", "3000"]),
        ({"changed_by": "SYST"}, ["1000", "1100", "3000"]),
        ({"changed_by": "rita"}, ["2000X"]),
        ({"changed_by": "%"}, []),
        ({"update_date_from": "2026-03-05", "update_date_to": "2026-03-05"}, ["2000X"]),
        ({"update_date_from": "2026-03-06"}, ["1000", "1100", "3000"]),
        ({"update_date_to": "2026-03-04"}, []),
        ({"update_date_to": "9999-12-31"}, ["1000", "1100", "2000X", "3000"]),
        ({"update_date_from": "yesterday"}, ["1000", "1100", "2000X", "3000"]),
        ({"q": "o", "type__exact": "NORMAL", "has_logic": "yes"}, ["2000X"]),
    ],
    ids=str,
)
def test_filters_select(chart, rita, query, found):
    """By enumerations, generated logic, and by who changed the element last and on which days (UTC)."""
    last_moment = datetime(2026, 3, 5, 23, 59, 59, 999000, tzinfo=UTC)
    Account.objects.filter(element_id="2000X").update(update_user="rita", update_date=last_moment)
    assert ids(browser_of(rita).get(page(Account), query)) == found


def test_a_row_shows_what_an_accountant_scans(chart, rita):
    """The description in the default language, else one in another language, with that language."""
    text = browser_of(rita).get(page(Account)).content.decode()
    for words in ("Cash", "<small>(de)</small>", "PROFIT_AND_LOSS", "AVERAGE", "northwind", "system"):
        assert words in text, words
    assert "Kasse" not in text


@pytest.mark.parametrize("dimension", MODELS)
@pytest.mark.parametrize("query", ["", "q=u", "p=2", "repository__id__exact={repository}", "o=2"])
def test_a_page_of_the_list_costs_the_same_for_200_elements_as_for_one(rita, northwind, dimension, query):
    """Session, user, grants, count and rows; no column that is not shown is read."""
    make, store = (currency, store_currencies) if dimension == "currency" else (account, store_accounts)
    words = {"descriptions": {"en": "Euro and cash u"}}
    address = f"{page(MODELS[dimension])}?{query.format(repository=northwind.pk)}"
    browser, counts = browser_of(rita), []
    store(northwind, *(make(f"A{number}", **words) for number in range(60)))
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(address).status_code == 200
        counts.append(len(queries))
        store(northwind, *(make(f"B{number}", **words) for number in range(140 if len(counts) == 1 else 0)))
    assert counts[0] == counts[1] <= 20
    rows = [captured["sql"] for captured in queries if f'"{dimension}_{dimension}"."update_user"' in captured["sql"]]
    assert rows
    for column in ("cash_flow_planning", "banking_data", "xbrl_content", "custom_attributes"):
        assert not [sql for sql in rows if column in sql]


def test_a_search_that_finds_less_than_a_page_reads_the_table_once(chart, rita):
    """The list shows the number of rows found."""
    with CaptureQueriesContext(connection) as queries:
        answer = browser_of(rita).get(page(Account), {"q": "o"})
    assert answer.context["cl"].result_count == len(ids(answer))
    assert len([captured for captured in queries if 'FROM "account_account"' in captured["sql"]]) == 1


def test_a_long_list_is_counted_to_a_bound(rita, northwind, monkeypatch):
    """Then it says `more than`, unless somebody wants to know exactly."""
    monkeypatch.setattr(paging, "COUNTED_ROWS", 100)
    store_accounts(northwind, *(account(f"{number:03}") for number in range(101)))
    browser = browser_of(rita)
    text = browser.get(page(Account), {"q": "a", "type__exact": "NORMAL"}).content.decode()
    assert "more than 100" in text
    assert not re.search(r">[^<]*\b101\b", text)
    [address] = re.findall(r'href="([^"]+)">Count exactly', text)
    assert address == "?q=a&amp;type__exact=NORMAL&amp;count=exact"
    text = browser.get(page(Account) + unescape(address)).content.decode()
    assert re.search(r"101\s+accounts", text)
    assert "Count exactly" not in text
    assert "count=exact&amp;p=3" in text
    Account.objects.filter(element_id="100").delete()
    text = browser.get(page(Account)).content.decode()
    assert "more than" not in text
    assert re.search(r"100\s+accounts", text)


def test_a_list_is_paged_to_its_end(rita, northwind, monkeypatch):
    """The last page that is counted leads to the others, which are counted exactly."""
    monkeypatch.setattr(paging, "COUNTED_ROWS", 100)
    store_accounts(northwind, *(account(f"{number:03}") for number in range(201)))
    browser, number = browser_of(rita), 1
    seen: list[str] = []
    while number:
        answer = browser.get(f"{page(Account)}?type__exact=NORMAL&p={number}")
        assert ("more than 100" in answer.content.decode()) is (number == 1)
        seen += ids(answer)
        following = f'href="?p={number + 1}&amp;type__exact=NORMAL"' in answer.content.decode()
        number = number + 1 if following else 0
    assert seen == [f"{number:03}" for number in range(201)]


@pytest.mark.parametrize(
    ("asked", "number", "count"),
    [("500", 3, 1), ("abc", 1, 50), ("-1", 1, 50), ("0", 1, 50), ("9" * 5_000, 3, 1), ("1.5", 1, 50), ("٢", 1, 50)],
    ids=lambda value: str(value)[:9],
)
def test_a_page_that_does_not_exist_keeps_the_filters(rita, northwind, contoso, asked, number, count):
    """The nearest one is shown, and a message says so."""
    store_accounts(northwind, *(account(f"{number:03}") for number in range(101)), account("X", type="DETAIL"))
    query = {"p": asked, "filter": "type==NORMAL", "repository__id__exact": f"{northwind.pk}"}
    answer = browser_of(rita).get(page(Account), query)
    assert answer.status_code == 200
    assert (answer.context["cl"].page_num, len(ids(answer))) == (number, count)
    assert answer.context["cl"].result_count == 101
    shown = shortened(asked)
    assert messages_of(answer) == [f"There is no page '{shown}'. This is page {number}."]
    assert f"p={2 if number == 1 else 1}" in answer.content.decode()


@pytest.mark.contract("G2")
@pytest.mark.parametrize(("language", "label"), [("en", "Balance sheet"), ("de", "Bilanz")])
def test_columns_and_filters_have_labels_in_the_language_of_the_page(chart, rita, language, label):
    """The same label in both; the address has the value of the wire."""
    browser = browser_of(rita)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    text = browser.get(page(Account)).content.decode()
    assert re.search(rf'<option value="BALANCE_SHEET"[^>]*>\s*{label}\s*</option>', text)
    assert label in re.sub(r"(?s)<option.*?</option>", "", text)


@pytest.mark.contract("C18")
def test_django_s_own_deletion_of_a_selection_is_not_offered(chart, alice):
    """It would write no history."""
    browser = browser_of(alice)
    keys = list(Account.objects.values_list("pk", flat=True))
    browser.post(page(Account), {"action": "delete_selected", "_selected_action": keys, "post": "yes"})
    assert Account.objects.count() == len(CHART)
    assert "delete_selected" not in browser.get(page(Account)).content.decode()


@pytest.mark.contract("G2")
def test_an_empty_repository_says_what_to_do(rita, ed, northwind, contoso):
    """Only what the person may do; with a search or a filter, something may be hidden."""
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.READER)
    browser, address = browser_of(ed), f"{page(Account)}?repository__id__exact={northwind.pk}"
    text = browser.get(address).content.decode()
    assert "northwind (Northwind group) has no accounts yet" in text
    upload = f"{page(FileImport, 'add')}?dimension=account&amp;repository={northwind.pk}"
    assert f'href="{upload}">Import a file</a>' in text
    assert f'href="{page(Account, "add")}?repository={northwind.pk}">New account</a>' in text
    [copied] = re.findall(r'<select form="copy-form".*?</select>', text)
    assert re.findall("<option[^>]*>(.*?)</option>", copied) == ["contoso (Contoso holding)"]
    store_accounts(contoso, account("C"))
    compared = browser.get(page(Account, "compare"), {"from_repository": northwind.pk, "repository": contoso.pk})
    assert "Copy from contoso into northwind…" in compared.content.decode()
    for query in ("&q=1", "&filter=id==1", "&nature__exact=BALANCE_SHEET"):
        assert "has no accounts yet" not in browser.get(address + query).content.decode()
    assert "has no accounts yet" in browser.get(f"{address}&nature__exact=").content.decode()
    text = browser.get(f"{page(Account)}?repository__id__exact={contoso.pk}&q=nowhere").content.decode()
    assert "has no accounts yet" not in text
    text = browser_of(rita).get(address).content.decode()
    assert "has no accounts yet" in text
    for words in ("Import a file", "New account", "Copy from another repository"):
        assert words not in text
