"""The address chooses the columns of a list and their order; the list reads these only, and shows values in words."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import Account
from dimensions_site.administration.lists.columns import MAX_LIST_COLUMNS
from tests.dimensions_site.administration.elements.dated import TYPED, store_chart
from tests.dimensions_site.administration.lists.lists import COLUMNS, LIST, ids
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page

pytestmark = pytest.mark.contract("G2")

LANGUAGES = [f"descriptions.a{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
USUAL = ["Id", "Description", "Nature", "Type", "Class", "Conversion type"]
USUAL += ["Changed by", "Changed"]


def headings(answer):
    return [label for label, _attribute in _headers(answer)]


def _headers(answer):
    listed = answer.context["cl"]
    for display in listed.list_display[1:]:
        attribute = display if callable(display) else getattr(listed.model_admin, display, None)
        label = "id" if attribute is None else attribute.short_description
        yield str(label)[:1].upper() + str(label)[1:], attribute


def test_the_usual_columns_are_shown_without_a_choice(chart, rita):
    assert headings(browser_of(rita).get(LIST)) == USUAL


def test_any_field_is_a_column_in_the_chosen_order_and_in_words(chart, rita):
    chosen = "descriptions.de,nature,dataEntryAndReporting.validity.startDate,rules.accrual.debitAccrual.id"
    columns = f"{chosen},customAttributes.Owner,documentationLink,descriptions.fr"
    answer = browser_of(rita).get(LIST, {"columns": columns, "filter": "id==2100"})
    assert headings(answer) == [
        *("Id", "Description (de)", "Nature", "Valid from", "Debit accrual account"),
        *("Custom attributes (Owner)", "Link to documentation", "Description (fr)"),
    ]
    (element,) = answer.context["cl"].result_list
    displays = answer.context["cl"].list_display[2:]
    assert [display(element) for display in displays] == [
        *(None, "Profit and loss", "2026-01-31", "1000", "Anna", None, "Loyer")
    ]
    assert "Loyer" in answer.content.decode()


def test_the_cards_of_a_phone_name_the_first_two_columns(chart, rita):
    """Each by its own heading, also if they are languages of one field."""
    columns = "descriptions.de,descriptions.en,descriptions.fr"
    (row,) = browser_of(rita).get(LIST, {"columns": columns, "filter": "id==2100"}).context["cl"].rows()
    assert [cell.label for cell in row] == ["", "", "Description (de)", "Description (en)", ""]


def test_only_the_chosen_columns_are_read(chart, rita):
    with CaptureQueriesContext(connection) as queries:
        browser_of(rita).get(LIST, {"columns": "type,rules.accrual.debitAccrual.id"})
    (rows,) = (
        one["sql"] for one in queries if '"account_account"."element_id"' in one["sql"] and "LIMIT" in one["sql"]
    )
    read = rows.partition(" FROM ")[0]
    assert '"account_account"."accrual"' in read
    for column in ("nature", "custom_attributes", "banking_data", "update_user"):
        assert f'"account_account"."{column}"' not in read


@pytest.mark.django_db(transaction=True)
def test_columns_choose_themselves_in_the_past_too(alice, rita, northwind):
    store_chart(alice, northwind)
    answer = browser_of(rita).get(LIST, {"columns": "type,descriptions.en", "as_of": TYPED})
    assert ids(answer) == ["1000", "1100", "2000"]
    assert "Cash" in answer.content.decode()


def test_a_column_that_is_not_there_is_left_out_with_a_message(chart, rita):
    """As in a view that was saved before the field went."""
    answer = browser_of(rita).get(LIST, {"columns": "typ,nature,alternativeDescriptions"})
    assert headings(answer) == ["Id", "Nature"]
    assert messages_of(answer) == [
        "There are no columns with these names, so they are left out: typ, alternativeDescriptions."
    ]
    assert headings(browser_of(rita).get(LIST, {"columns": "typ"})) == USUAL


@pytest.mark.parametrize("columns", [",".join(LANGUAGES), "x" * 5000, ",".join(map(str, range(99)))])
def test_the_number_of_columns_is_limited(chart, rita, columns):
    answer = browser_of(rita).get(LIST, {"columns": columns})
    assert answer.status_code == 200
    assert len(headings(answer)) <= MAX_LIST_COLUMNS + 1
    assert len(messages_of(answer)) == 1


def test_the_list_is_sorted_by_the_columns_that_could_be_sorted_before(chart, rita):
    answer = browser_of(rita).get(LIST, {"columns": "type,documentationLink", "o": "2.-1"})
    assert ids(answer) == ["2000", "2100", "1100", "1000"]
    answer = browser_of(rita).get(LIST, {"columns": "type,documentationLink", "o": "3"})
    assert ids(answer) == ["1000", "1100", "2000", "2100"]


def chosen(answer):
    return [column.path for column in answer.context["chosen"]]


def test_the_form_starts_with_the_columns_of_the_list(chart, rita):
    browser = browser_of(rita)
    assert chosen(browser.get(COLUMNS))[:3] == ["descriptions", "nature", "type"]
    answer = browser.get(COLUMNS, {"list": "columns=type,descriptions.de"})
    assert chosen(answer) == ["type", "descriptions.de"]
    offered = {field.path for group in answer.context["groups"] for field in group.fields}
    assert {"nature", "descriptions.fr", "descriptions"} <= offered
    assert not {"type", "descriptions.de", "id", "alternativeDescriptions"} & offered


@pytest.mark.parametrize(
    ("pressed", "expected"),
    [
        ({"up": "nature"}, ["nature", "type", "descriptions"]),
        ({"up": "type"}, ["type", "nature", "descriptions"]),
        ({"down": "type"}, ["nature", "type", "descriptions"]),
        ({"remove": "nature"}, ["type", "descriptions"]),
        ({"add": "descriptions.de"}, ["type", "nature", "descriptions", "descriptions.de"]),
        ({"add": "no such"}, ["type", "nature", "descriptions"]),
        ({"up": "no such"}, ["type", "nature", "descriptions"]),
    ],
    ids=str,
)
def test_columns_are_moved_removed_and_added(chart, rita, pressed, expected):
    query = {"changed": "yes", "column": ["type", "nature", "descriptions"], **pressed}
    assert chosen(browser_of(rita).get(COLUMNS, query)) == expected


def test_the_chosen_columns_go_to_the_address_of_the_list(chart, rita):
    """Without the order, which names columns by their place."""
    browser = browser_of(rita)
    query = {"changed": "yes", "list": "q=a&o=3&columns=x", "column": ["type", "descriptions.de"]}
    assert browser.get(COLUMNS, {**query, "apply": "yes"})["Location"] == f"{LIST}?q=a&columns=type%2Cdescriptions.de"
    assert browser.get(COLUMNS, {**query, "usual": "yes"})["Location"] == f"{LIST}?q=a"
    none = browser.get(COLUMNS, {"changed": "yes", "apply": "yes"})
    assert none.context["errors"] == ["Choose at least one column."]


def test_no_more_columns_are_added_than_a_list_has(chart, rita):
    many = LANGUAGES[:MAX_LIST_COLUMNS]
    answer = browser_of(rita).get(COLUMNS, {"changed": "yes", "column": many, "add": "type"})
    assert chosen(answer) == many
    assert answer.context["is_full"]
    assert any("at most 12 columns" in error for error in answer.context["errors"])


def test_the_page_of_an_account_leads_back_to_the_list_as_it_was(chart, rita):
    text = browser_of(rita).get(LIST, {"columns": "type", "filter": "type==DETAIL"}).content.decode()
    key = Account.objects.get(element_id="2000").pk
    assert f"{page(Account, 'change', key)}?_changelist_filters=columns%3Dtype%26filter%3Dtype%253D%253DDETAIL" in text
