"""The list of elements as they were at a moment: marked, read-only, and with everything that the list knows."""

import csv
import io
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from openpyxl import load_workbook

from account.models import Account
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.elements.dated import MARCH, TYPED, date_changes, store_chart
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, content, currency
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("J1")]

LIST = page(Account)


@pytest.fixture
def chart(alice, northwind):
    store_chart(alice, northwind)


def ids(answer):
    return [element.element_id for element in answer.context["cl"].result_list]


def test_the_list_shows_the_elements_as_they_were(chart, rita):
    """A deleted one is there, a later one is not, and a changed one has its former values."""
    browser = browser_of(rita)
    answer = browser.get(LIST, {"as_of": TYPED})
    text = answer.content.decode()
    assert ids(answer) == ["1000", "1100", "2000"]
    assert "Cash" in text
    assert "Petty money" not in text
    assert "northwind (Northwind group) as of 2026-03-31 22:00:00 UTC." in text
    assert ids(browser.get(LIST)) == ["1000", "1100", "3000"]
    assert "as of" not in browser.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "cash"}, ["1000"]),
        ({"q": "petty"}, []),
        ({"q": "LOANS"}, ["2000"]),
        ({"nature__exact": "PROFIT_AND_LOSS"}, ["1100"]),
        ({"type__exact": "DETAIL"}, []),
        ({"has_logic": "yes"}, ["1100"]),
        ({"has_logic": "no"}, ["1000", "2000"]),
        ({"changed_by": "system"}, ["1000", "1100", "2000"]),
        ({"changed_by": "alice"}, []),
        ({"o": "-1"}, ["2000", "1100", "1000"]),
    ],
    ids=str,
)
def test_search_filters_and_order_are_those_of_the_list(chart, rita, query, found):
    assert ids(browser_of(rita).get(LIST, {"as_of": TYPED, **query})) == found


def test_links_of_the_list_stay_in_the_past_and_one_leads_back_to_now(alice, northwind, rita):
    """Pages, columns, the search, the filters and the export; the form keeps the search."""
    store_accounts(northwind, *(account(f"{number:03}") for number in range(60)))
    date_changes(MARCH)
    text = browser_of(rita).get(LIST, {"as_of": TYPED, "q": "0", "o": "-1"}).content.decode()
    moment = "as_of=2026-03-31T22%3A00%3A00Z"
    assert f"?{moment}&amp;o=-1&amp;p=2&amp;q=0" in text
    assert f"?{moment}&amp;o=1&amp;q=0" in text
    assert '<a href="?q=0&amp;o=-1">Back to now</a>' in text
    assert f"{page(Account, 'export_file')}?{moment}&amp;q=0&amp;o=-1" in text
    for form in ("changelist-search", "filter-form"):
        sent = text.partition(f'id="{form}"')[2].partition("</form>")[0]
        assert f'name="as_of" value="{TYPED}"' in sent
    assert '<input type="hidden" name="q" value="0">' in text.partition('id="past-form"')[2].partition("</form>")[0]
    assert ids(browser_of(rita).get(LIST, {"as_of": TYPED, "p": "2"})) == [f"{number:03}" for number in range(50, 60)]


def test_nothing_can_be_changed_in_the_past(chart, alice):
    """No action writes, nothing is added or imported, and rows lead to the versions."""
    browser = browser_of(alice)
    answer = browser.get(LIST, {"as_of": TYPED})
    text = answer.content.decode()
    assert "delete_elements" in browser.get(LIST).content.decode()
    for words in ("delete_elements", page(Account, "add"), page(Account, "import_file")):
        assert words not in text
    for element in answer.context["cl"].result_list:
        assert f'href="{page(Account, "version", element.pk)}' in text
        history = browser.get(page(Account, "version", element.pk), follow=True)
        assert f"Versions of {element.element_id}" in history.content.decode()
        assert page(Account, "change", element.id) not in text
    numbers = [element.pk for element in answer.context["cl"].result_list]
    sent = {"action": "delete_elements", "_selected_action": numbers, "confirmed": "3"}
    browser.post(f"{LIST}?as_of={TYPED}", sent)
    assert Account.objects.count() == 3


def read_file(answer) -> dict[Any, Any]:
    """The English descriptions in an exported file of any format, by the id."""
    kind = answer["Content-Type"].partition(";")[0]
    if kind.endswith("sheet"):
        headings, *rows = load_workbook(io.BytesIO(content(answer))).worksheets[0].iter_rows(values_only=True)
        found: list[dict[Any, Any]] = [dict(zip(headings, row, strict=True)) for row in rows]
    elif kind == "text/csv":
        found = list(csv.DictReader(io.StringIO(content(answer).decode("utf-8-sig"))))
    else:
        found = [orjson.loads(line) for line in content(answer).splitlines()]
        return {element["id"]: element["descriptions"]["en"] for element in found}
    return {row["id"]: row["descriptions.en"] for row in found}


@pytest.mark.parametrize("format", ["csv", "xlsx", "ndjson"])
def test_an_export_has_the_state_that_the_list_shows(chart, rita, format):
    """As the button exports it, with the filter, and as the action exports the selected elements."""
    browser = browser_of(rita)
    query = f"as_of={TYPED}&type__exact=NORMAL"
    form = browser.get(f"{page(Account, 'export_file')}?{query}")
    assert "The state as of 2026-03-31 22:00:00 UTC" in form.content.decode()
    assert form.context["address"] == f"{LIST}?as_of=2026-03-31T22%3A00%3A00Z&type__exact=NORMAL"
    sent = {"action": "export_elements", "format": format, "_selected_action": ["0"], "select_across": "1"}
    answer = browser.post(form.context["address"], sent)
    assert read_file(answer) == {"1000": "Cash", "1100": "Sales", "2000": "Loans"}
    assert f"northwind-accounts-2026-03-31T220000Z.{format}" in answer["Content-Disposition"]
    loans = ids_to_keys(browser)["2000"]
    chosen = {**sent, "_selected_action": [loans], "select_across": "0"}
    assert read_file(browser.post(form.context["address"], chosen)) == {"2000": "Loans"}


def ids_to_keys(browser):
    shown = browser.get(LIST, {"as_of": TYPED}).context["cl"].result_list
    return {element.element_id: element.pk for element in shown}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("2999-01-01T00:00", "This moment is in the future. It is "),
        ("2026-02-28T22:00", "What was before 2026-03-01 22:00:00 UTC is not known: the history begins then."),
        ("yesterday", "&#x27;yesterday&#x27; is not a date and a time such as 2026-03-31 22:00."),
        ("2026-02-30T10:00", "&#x27;2026-02-30T10:00&#x27; is not a date and a time such as 2026-03-31 22:00."),
        ("<b>", "&#x27;&lt;b&gt;&#x27; is not a date and a time"),
    ],
)
def test_an_invalid_moment_is_an_error_at_its_field_and_nothing_is_shown_as_if_it_was_then(chart, rita, typed, message):
    """The rest of the query stays; an export says that there is nothing."""
    browser = browser_of(rita)
    answer = browser.get(LIST, {"as_of": typed, "q": "cash"}, follow=True)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert ids(answer) == []
    error = text.partition('id="past-moment-error">')[2].partition("</p>")[0]
    assert error.startswith(message)
    assert '<input type="hidden" name="q" value="cash">' in text
    assert '<a href="?q=cash">Back to now</a>' in text
    exported = browser.get(page(Account, "export_file"), {"as_of": typed}, follow=True)
    assert messages_of(exported) == ["There is nothing to export: nothing was found."]


def test_a_state_is_that_of_one_repository(chart, rita, northwind, contoso):
    """Who may read several chooses one; who may read one need not."""
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    store_accounts(contoso, account("C1"))
    date_changes(MARCH)
    browser = browser_of(rita)
    answer = browser.get(LIST, {"as_of": TYPED})
    text = answer.content.decode()
    assert ids(answer) == []
    assert "Choose a repository: a state of the past is that of one repository." in text
    assert f'name="as_of" value="{TYPED}"' in text
    chosen = {"as_of": TYPED, "repository__id__exact": northwind.pk}
    assert ids(browser.get(LIST, chosen)) == ["1000", "1100", "2000"]
    assert ids(browser.get(LIST, {**chosen, "repository__id__exact": contoso.pk})) == ["C1"]


@pytest.mark.parametrize("model", [Account, Currency])
def test_a_page_of_the_past_costs_the_same_for_200_elements_as_for_one(rita, northwind, model):
    make, store = (currency, store_currencies) if model is Currency else (account, store_accounts)
    browser, counts = browser_of(rita), []
    store(northwind, *(make(f"A{number}") for number in range(60)))
    date_changes(MARCH)
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert ids(browser.get(page(model), {"as_of": TYPED}))[0] == "A0"
        counts.append(len(queries))
        store(northwind, *(make(f"B{number}") for number in range(140 if len(counts) == 1 else 0)))
        date_changes(MARCH)
    assert counts[0] == counts[1] <= 20
