"""The page that compares two states: counts, differences by element, and the workbook with all of them."""

import io
import re
from collections import Counter
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape
from openpyxl import load_workbook

from account.models import Account
from currency.models import Currency
from dimensions_site.administration.base import paging
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.elements.dated import MARCH, OLDEST, TYPED, date_changes, store_chart
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, content, currency
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("J2")]

PAGE = page(Account, "compare")
EXPORT = page(Account, "compare_export")


@pytest.fixture
def chart(alice, northwind):
    store_chart(alice, northwind)


def sides(repository, moment=TYPED, other=None, now="", **more):
    """What the form sends."""
    return {"from_repository": repository.pk, "from": moment, "repository": (other or repository).pk, "to": now, **more}


def found(answer):
    """The differences on a page: the id, what happened, and the values of a changed element."""
    return [
        (one.id, one.change.label, [(at.path, at.before, at.after) for at in one.differences if one.is_change])
        for one in answer.context["found"]
    ]


def counts(answer):
    return {label: count for label, count, _ in answer.context["counts"]}


def test_two_moments_of_a_repository_are_compared(chart, rita, northwind):
    """Each element with its description and what differs, in words as its versions show it."""
    answer = browser_of(rita).get(PAGE, sides(northwind))
    assert found(answer) == [
        ("1000", "Changed", [("descriptions.en", "Cash", "Petty money"), ("type", "Normal", "Detail")]),
        ("2000", "Deleted", []),
        ("3000", "Created", []),
    ]
    assert counts(answer) == {"Created": 1, "Changed": 1, "Deleted": 1}
    text = answer.content.decode()
    assert "<bdi>Petty money</bdi>" in text
    assert "<bdi>Loans</bdi>" in text
    deleted = {at.path: at.after for at in answer.context["found"][1].differences}
    assert (deleted["descriptions.en"], deleted["nature"]) == ("Loans", "Balance sheet")


def test_descriptions_are_in_the_language_of_the_page(rita, northwind, chart):
    """As in the list; else in the repository's default language."""
    store_accounts(northwind, account("4000", descriptions={"en": "Rent", "de": "Miete"}))
    answer = browser_of(rita).get(PAGE, sides(northwind), headers={"Accept-Language": "de"})
    shown = {one.id: one.description for one in answer.context["found"]}
    assert (shown["2000"], shown["4000"]) == ("Loans", "Miete")


def test_an_element_leads_to_its_versions(chart, rita, northwind):
    browser = browser_of(rita)
    for one in browser.get(PAGE, sides(northwind)).context["found"]:
        history = browser.get(one.address, follow=True)
        assert f"Versions of {one.id}" in history.content.decode()


def test_the_way_back_in_time_is_a_comparison_too(chart, rita, northwind):
    """What was created since is deleted on the way back."""
    answer = browser_of(rita).get(PAGE, sides(northwind, "", now=TYPED))
    assert [(id, change) for id, change, _ in found(answer)] == [
        ("1000", "Changed"),
        ("2000", "Created"),
        ("3000", "Deleted"),
    ]


def test_the_list_leads_to_the_comparison_of_what_it_finds(chart, rita, northwind):
    """Its search and its conditions become conditions there; nothing is compared yet, as no side is chosen."""
    query = {"q": "cash 1000", "filter": "type==DETAIL", "repository__id__exact": northwind.pk}
    listed = browser_of(rita).get(page(Account), query).content.decode()
    [address] = re.findall(r'href="([^"]*/compare/[^"]*)">Compare', listed)
    answer = browser_of(rita).get(unescape(address))
    chips = [[part["words"] for part in chip["parts"]] for chip in answer.context["filter"].shown]
    assert chips == [
        ["Type is Detail"],
        *([f"Id contains “{word}”", f"Description (any language) contains “{word}”"] for word in ("cash", "1000")),
    ]
    form = answer.context["form"]
    assert (form.is_bound, form["from_repository"].value()) == (False, northwind.pk)
    assert form["filter"].value() == dict(parse_qsl(urlsplit(unescape(address)).query))["filter"]


def test_the_only_two_repositories_are_compared_at_once(chart, rita, northwind, contoso):
    """The current one is at the left; of more, somebody chooses."""
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER, dimension="account")
    for current, labels in ((northwind, {"Only in northwind"}), (contoso, {"Only in northwind"})):
        answer = browser_of(rita).get(f"{PAGE}?repository__id__exact={current.pk}", follow=True)
        assert answer.context["switch"]().current == current
        assert answer.context["form"].sides[0].repository == current
        assert {one.label for one in answer.context["found"]} == labels


def test_two_repositories_are_compared(chart, rita, northwind, contoso):
    """As they are now, or as they were at different moments."""
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER, dimension="account")
    store_accounts(contoso, account("1000", descriptions={"de": "Kasse"}, type="DETAIL"), account("9000"))
    date_changes(MARCH)
    answer = browser_of(rita).get(PAGE, sides(northwind, "", contoso))
    assert [(one.id, one.label) for one in answer.context["found"]] == [
        ("1000", "Different"),
        ("1100", "Only in northwind"),
        ("3000", "Only in northwind"),
        ("9000", "Only in contoso"),
    ]
    text = answer.content.decode()
    assert "<bdi>Kasse</bdi>" in text
    for heading in ("northwind", "contoso"):
        assert f'<th scope="col">{heading}</th>' in text
    past = browser_of(rita).get(PAGE, sides(northwind, TYPED, contoso, TYPED))
    assert counts(past) == {"Only in contoso": 1, "Different": 1, "Only in northwind": 2}
    assert '<th scope="col">contoso · 2026-03-31 22:00:00 UTC</th>' in past.content.decode()


@pytest.mark.parametrize(
    ("filter", "ids"),
    [
        ("type==DETAIL", ["1000"]),
        ("descriptions.en==Cash", ["1000"]),
        ("descriptions.en=in=(Loans,New)", ["2000", "3000"]),
        ("nature==PROFIT_AND_LOSS", []),
    ],
)
def test_a_filter_restricts_to_what_matches_on_either_side(chart, rita, northwind, filter, ids):
    answer = browser_of(rita).get(PAGE, sides(northwind, filter=filter))
    assert [id for id, *_ in found(answer)] == ids
    assert ("There are no differences." in answer.content.decode()) == (ids == [])


def test_a_condition_is_added_as_in_the_list(chart, rita, northwind):
    """The button keeps what was chosen, the page of conditions leads back, and a chip takes it away."""
    browser = browser_of(rita)
    chosen = {**sides(northwind), "add": "yes"}
    fields = browser.get(PAGE, chosen, follow=True)
    assert fields.redirect_chain[0][0].startswith(page(Account, "condition"))
    sent = {"list": fields.context["list"], "field": "id", "operation": "is", "value": "2000"}
    answer = browser.get(page(Account, "condition"), sent, follow=True)
    assert answer.redirect_chain[0][0].startswith(PAGE)
    assert [id for id, *_ in found(answer)] == ["2000"]
    (chip,) = answer.context["filter"].shown
    assert chip["parts"][0]["words"] == "Id is “2000”"
    assert len(found(browser.get(PAGE + chip["parts"][0]["without"]))) == 3


def errors(answer):
    form = answer.context["form"]
    return {field: list(messages) for field, messages in form.errors.items()}


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"from": "2999-01-01T00:00Z"}, "from", "This moment is in the future."),
        ({"to": "2026-01-01T00:00Z"}, "to", "What was before 2026-03-01 22:00:00 UTC is not known"),
        ({"to": "soon"}, "to", "'soon' is not a date and a time such as 2026-03-31 22:00."),
        ({"filter": "natur==X"}, "filter", "Unknown field 'natur'."),
        ({"from": ""}, "from", "Both sides are the same state. Choose another moment or another repository."),
        ({"repository": ""}, "repository", "This field is required."),
    ],
    ids=str,
)
@pytest.mark.parametrize("address", [PAGE, EXPORT])
def test_errors_are_at_their_fields_and_nothing_typed_is_lost(chart, rita, northwind, sent, field, message, address):
    query = {**sides(northwind, filter="type==DETAIL"), **sent}
    answer = browser_of(rita).get(address, query)
    assert answer.status_code == 200
    assert list(errors(answer)) == [field]
    assert errors(answer)[field][0].startswith(message)
    assert "counts" not in answer.context
    for name, value in query.items():
        assert answer.context["form"][name].value() == str(value)


def test_all_errors_are_reported_at_once(chart, rita, northwind):
    answer = browser_of(rita).get(PAGE, sides(northwind, "soon", now="later", filter="("))
    assert set(errors(answer)) == {"from", "to", "filter"}


def test_the_workbook_has_all_differences(chart, rita, northwind):
    """Id, action, field by label, before, after and path: a row for each value."""
    answer = browser_of(rita).get(EXPORT, sides(northwind))
    assert "northwind-account-differences.xlsx" in answer["Content-Disposition"]
    headings, *rows = load_workbook(io.BytesIO(content(answer))).worksheets[0].iter_rows(values_only=True)
    assert headings == ("Id", "Action", "Field", "Before", "After", "Path")
    assert [row for row in rows if row[0] == "1000"] == [
        ("1000", "Changed", "Description (en)", "Cash", "Petty money", "descriptions.en"),
        ("1000", "Changed", "Type", "Normal", "Detail", "type"),
    ]
    assert ("2000", "Deleted", "Description (en)", "Loans", "not set", "descriptions.en") in rows
    assert ("3000", "Created", "Description (en)", "not set", "New", "descriptions.en") in rows
    filtered = browser_of(rita).get(EXPORT, sides(northwind, filter="type==DETAIL"))
    _, *rows = load_workbook(io.BytesIO(content(filtered))).worksheets[0].iter_rows(values_only=True)
    assert Counter(row[0] for row in rows) == {"1000": 2}


def test_the_workbook_of_two_repositories_names_places(rita, northwind, contoso):
    """As the page does."""
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER, dimension="account")
    store_accounts(northwind, account("1"))
    store_accounts(contoso, account("2"))
    answer = browser_of(rita).get(EXPORT, sides(northwind, "", contoso))
    rows = load_workbook(io.BytesIO(content(answer))).worksheets[0].iter_rows(min_row=2, values_only=True)
    assert {row[:2] for row in rows} == {("1", "Only in northwind"), ("2", "Only in contoso")}


def test_the_list_of_the_past_leads_to_what_has_changed_since(chart, rita, northwind):
    text = browser_of(rita).get(page(Account), {"as_of": TYPED}).content.decode()
    query = f"from_repository={northwind.pk}&from=2026-03-31T22%3A00%3A00Z&repository={northwind.pk}&to=&filter="
    assert f'href="{PAGE}?{escape(query)}">Compare</a>' in text
    assert counts(browser_of(rita).get(f"{PAGE}?{query}")) == {"Created": 1, "Changed": 1, "Deleted": 1}


def test_pages_hold_50_differences_and_counting_has_a_bound(rita, northwind, monkeypatch):
    """The workbook has the others."""
    monkeypatch.setattr(paging, "COUNTED_ROWS", 100)
    store_accounts(northwind, account("0"))
    date_changes(OLDEST)
    store_accounts(northwind, *(account(f"A{number:03}") for number in range(101)))
    date_changes(MARCH)
    before = (OLDEST + timedelta(days=1)).strftime("%Y-%m-%dT%H:%MZ")
    browser = browser_of(rita)
    for number, first, count in (("2", "A050", 50), ("3", "A100", 1), ("9", "A100", 1), ("x", "A000", 50)):
        answer = browser.get(PAGE, sides(northwind, before, p=number))
        shown = found(answer)
        assert (shown[0][0], len(shown)) == (first, count)
        assert counts(answer)["Created"] == (100 if number == "x" else 101)
    assert messages_of(answer) == ["There is no page 'x'. This is page 1."]
    text = answer.content.decode()
    assert counts(answer) == {"Created": 100, "Changed": 0, "Deleted": 0}
    assert "Differences: more than 100" in text
    assert "Only the first 100 are counted here." in text
    [exact] = re.findall(r'href="([^"]+)">Count exactly', text)
    assert counts(browser.get(PAGE + unescape(exact)))["Created"] == 101
    assert '&amp;p=2" aria-label="Page 2"' in text
    rows = load_workbook(io.BytesIO(content(browser.get(EXPORT, sides(northwind, before))))).worksheets[0]
    assert len({row[0] for row in rows.iter_rows(min_row=2, values_only=True)}) == 101


@pytest.mark.parametrize("model", [Account, Currency])
def test_a_comparison_costs_the_same_for_200_differences_as_for_one(rita, northwind, model):
    make, store = (currency, store_currencies) if model is Currency else (account, store_accounts)
    browser, numbers = browser_of(rita), []
    store(northwind, make("0"))
    date_changes(OLDEST)
    for count in (1, 199):
        store(northwind, *(make(f"A{count}x{number}") for number in range(count)))
        date_changes(MARCH)
        with CaptureQueriesContext(connection) as queries:
            answer = browser.get(page(model, "compare"), sides(northwind, "2026-03-15T10:00Z"))
        numbers.append((len(queries), sum(counts(answer).values())))
    assert [total for _, total in numbers] == [1, 200]
    assert numbers[0][0] == numbers[1][0] <= 25
