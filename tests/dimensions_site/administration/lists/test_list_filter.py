"""The list shows what the filter of its address finds, and all that starts from the list takes the filter along."""

import pytest
from django.test import override_settings

from account.models import Account
from bulkops.models import DataProcessing
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.rsql.parser import MAX_FILTER_LENGTH
from tests.dimensions_site.administration.elements.dated import TYPED, store_chart
from tests.dimensions_site.administration.lists.lists import LIST, found, ids, shown
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account, currency
from tests.services.long_reads import CONDITIONS
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("D1", "G2")

MISSING = "nature==PROFIT_AND_LOSS;descriptions.de=isnull=true"


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (MISSING, ["1100", "2100"]),
        ("type==DETAIL,id==1000", ["1000", "2000"]),
        ("description==Cash", ["1000"]),
        ("  ", ["1000", "1100", "2000", "2100"]),
    ],
)
def test_the_list_shows_what_the_filter_finds(chart, rita, filter, expected):
    assert found(browser_of(rita), filter) == expected


def test_the_filter_works_with_the_search_and_the_filters_beside_the_list(chart, rita, northwind):
    browser = browser_of(rita)
    assert found(browser, MISSING, q="rent") == ["2100"]
    assert found(browser, "descriptions.de=isnull=false", nature__exact="BALANCE_SHEET") == ["1000"]
    assert found(browser, MISSING, repository__id__exact=northwind.pk, o="-1") == ["2100", "1100"]
    text = browser.get(LIST, {"filter": MISSING, "q": "o"}).content.decode()
    # The forms of the search and of the other filters send it again.
    assert text.count('name="filter" value="nature==PROFIT_AND_LOSS;descriptions.de=isnull=true"') >= 2


@pytest.mark.django_db(transaction=True)
def test_a_state_of_the_past_is_filtered_too(alice, rita, northwind):
    store_chart(alice, northwind)
    browser = browser_of(rita)
    assert found(browser, "descriptions.en==Cash", as_of=TYPED) == ["1000"]
    assert found(browser, "descriptions.en==Cash") == []


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        ("nature", "The filter cannot be read at character 7"),
        ("natur==X", "Unknown field 'natur'"),
        ("nature==X", "nature must be one of BALANCE_SHEET"),
        ("id==" + "x" * MAX_FILTER_LENGTH, "characters long; the limit is"),
    ],
)
def test_an_invalid_filter_shows_no_rows_and_says_why_and_keeps_the_text(chart, rita, filter, message):
    """Never all rows: somebody might act on them."""
    answer = browser_of(rita).get(LIST, {"filter": filter})
    assert answer.status_code == 200
    assert ids(answer) == []
    listed = answer.context["cl"].filter
    assert any(message in error for error in listed.errors)
    assert listed.text == filter
    text = answer.content.decode()
    assert "Nothing is shown, because the filter is invalid." in text
    assert 'aria-invalid="true"' in text


def test_a_part_that_is_wrong_can_be_removed_alone(chart, rita):
    """Such as a field that is no more."""
    browser = browser_of(rita)
    answer = browser.get(LIST, {"filter": "natur==X;type==DETAIL"})
    without = answer.context["cl"].filter.shown[0]["parts"][0]["without"]
    assert ids(browser.get(LIST + without)) == ["2000"]


def test_chips_are_removed_one_by_one(chart, rita):
    browser = browser_of(rita)
    assert shown(browser, MISSING) == ["Nature is Profit and loss", "Description (de) is missing"]
    filter = "type==DETAIL,id==1000,id==1100"
    (chip,) = browser.get(LIST, {"filter": filter, "p": "1"}).context["cl"].filter.shown
    assert ids(browser.get(LIST + chip["parts"][1]["without"])) == ["1100", "2000"]
    assert "p=" not in chip["parts"][1]["without"]


def test_the_filters_beside_the_list_are_chips_among_the_conditions(chart, rita, northwind):
    browser = browser_of(rita)
    query = {
        "nature__exact": "PROFIT_AND_LOSS",
        "repository__id__exact": northwind.pk,
        "has_logic": "no",
        "update_date_from": "2020-01-01",
        "changed_by": "sys",
    }
    listed = browser.get(LIST, {**query, "filter": "type==NORMAL", "q": "e"}).context["cl"]
    assert [words for words, _without in listed.quick_chips] == [
        "Nature: Profit and loss",
        "calculation logic: no",
        "person of the last change: sys",
        "day of the last change: 2020-01-01",
    ]
    without = listed.quick_chips[0][1]
    assert "nature__exact" not in without
    assert "filter=type%3D%3DNORMAL" in without
    assert ids(browser.get(LIST + without)) == ["1000", "1100", "2100"]


def test_the_default_language_needs_one_repository(rita, northwind, contoso):
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    store_currencies(northwind, currency("EUR"))
    store_currencies(contoso, currency("CHF", descriptions={"de": "Franken"}))
    browser = browser_of(rita)
    answer = browser.get(page(Currency), {"filter": "description==Euro"})
    assert answer.context["cl"].filter.errors == [
        "The list shows repositories with different default languages. Choose one repository, or name the language."
    ]
    address = f"{page(Currency)}?repository__id__exact={contoso.pk}"
    assert ids(browser.get(f"{address}&filter=description==Franken")) == ["CHF"]
    assert ids(browser.get(f"{address}&filter=oid==x")) == []


# --- What starts from the list --------------------------------------------------------------------------------------


def across(action: str, **form: str) -> dict[str, str]:
    """The action on all that the list finds."""
    return {"action": action, "_selected_action": "1", "select_across": "1", **form}


@pytest.mark.parametrize("action", ["delete_elements", "change_elements", "export_elements"])
def test_an_action_on_an_invalid_filter_has_nothing_to_do(chart, alice, action):
    answer = browser_of(alice).post(f"{LIST}?filter=natur==x", across(action))
    assert answer.status_code == 302
    assert Account.objects.count() == 4
    assert not DataProcessing.objects.exists()


# --- What it costs --------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@override_settings(READ_TIMEOUT_SECONDS=0.3)
def test_a_filter_that_takes_too_long_is_stopped_and_can_be_changed(rita, northwind):
    """503 as for every search, with the list and its conditions around the message."""
    store_accounts(northwind, *(account(f"A{number}") for number in range(60)))
    texts = {f"aa-{number:05}": "Forderungen aus Lieferungen " * 2 for number in range(1_900)}
    Account.objects.update(descriptions=texts)
    answer = browser_of(rita).get(LIST, {"filter": CONDITIONS})
    assert answer.status_code == 503
    assert ids(answer) == []
    text = answer.content.decode()
    assert "The search took too long and was stopped. Nothing is shown." in text
    assert "Remove all conditions" in text
