"""The form of a condition: a field by label, an operation in words, and a value, which become a filter."""

from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from account.models import Account
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.lists.lists import CONDITION, LIST, built, found
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("D1", "G2")

START = "dataEntryAndReporting.validity.startDate"


def offered(answer):
    """The fields to choose from, by group."""
    return {group.title: {field.path: field.heading for field in group.fields} for group in answer.context["groups"]}


def test_every_field_is_offered_by_its_label_in_its_group(chart, rita):
    groups = offered(browser_of(rita).get(CONDITION))
    assert groups["General"]["nature"] == "Nature"
    assert groups["General"]["descriptions.de"] == "Description (de)"
    assert groups["General"]["descriptions"] == "Description (any language)"
    assert groups["General"]["customAttributes.Owner"] == "Custom attributes (Owner)"
    assert groups["Cash flow planning"]["cashFlowPlanning.liquidity.debit.id"] == "Liquidity › Debit account"
    assert groups["Last change"]["updateInfo.user"] == "Changed by"


def test_what_a_filter_cannot_name_is_not_offered(rita, northwind):
    """The object id of a currency, and entries with blanks in their key."""
    store_accounts(northwind, account("1", customAttributes={"Cost centre": "1", "Owner": "A"}))
    browser = browser_of(rita)
    assert "oid" not in offered(browser.get(page(Currency, "condition")))["General"]
    entries = [path for path in offered(browser.get(CONDITION))["General"] if path.startswith("customAttributes.")]
    assert entries == ["customAttributes.Owner"]
    answer = browser.get(page(Currency, "condition"), {"field": "oid", "operation": "is", "value": "x"})
    assert "groups" in answer.context


@pytest.mark.parametrize(
    ("form", "filter"),
    [
        ({"field": "nature", "operation": "is", "value": "PROFIT_AND_LOSS"}, "nature==PROFIT_AND_LOSS"),
        ({"field": "type", "operation": "in", "values": ["NORMAL", "DETAIL"]}, "type=in=(NORMAL,DETAIL)"),
        ({"field": "descriptions.de", "operation": "missing"}, "descriptions.de=isnull=true"),
        ({"field": "descriptions", "operation": "contains", "value": "a b"}, 'descriptions=ilike="a b"'),
        ({"field": "descriptions", "key": "de", "operation": "empty"}, "descriptions.de=isnull=true"),
        ({"field": "id", "operation": "starts", "value": "10"}, "id>=10;id<11"),
        ({"field": "id", "operation": "between", "low": "1", "high": "2"}, "id>=1;id<=2"),
        ({"field": "id", "operation": "in", "lines": "1\r\n 2 \r\n\r\n1"}, "id=in=(1,2)"),
        ({"field": START, "operation": "on", "value": "2026-01-31"}, f"{START}>=2026-01-31;{START}<2026-02-01"),
        ({"field": START, "operation": "before", "value": "2026-01-31"}, f"{START}<2026-01-31"),
        (
            {"field": "rules.grossAmountEqualICSum", "operation": "is", "value": "true"},
            "rules.grossAmountEqualICSum==true",
        ),
        ({"field": "documentationLink", "operation": "not-empty"}, 'documentationLink>""'),
    ],
)
def test_a_condition_becomes_the_filter_of_the_list(chart, rita, form, filter):
    browser = browser_of(rita)
    assert built(browser, **form) == filter
    assert built(browser, "id!=x", **form) == f"id!=x;{filter}"
    assert isinstance(found(browser, filter), list)


@pytest.mark.contract("C19")
def test_a_text_is_empty_whether_it_is_missing_or_has_no_characters(rita, northwind):
    """Contract C19 keeps the two apart, and people do not."""
    texts = {"1": None, "2": "", "3": "https://example.com"}
    store_accounts(northwind, *(account(id, documentationLink=text) for id, text in texts.items()))
    browser = browser_of(rita)
    form = {"field": "documentationLink", "operation": "empty"}
    filter = built(browser, **form)
    assert found(browser, filter) == ["1", "2"]
    assert found(browser, built(browser, "id!=2", **form)) == ["1"]
    assert found(browser, built(browser, "id==3", beside="0", **form)) == ["1", "2", "3"]
    assert found(browser, built(browser, filter, at="0.0", **{**form, "operation": "not-empty"})) == ["3"]


def test_a_condition_is_changed_and_gets_alternatives(chart, rita):
    browser = browser_of(rita)
    filter = "nature==PROFIT_AND_LOSS;(type==DETAIL,id==1000)"
    form = {"field": "nature", "operation": "is", "value": "BALANCE_SHEET"}
    assert built(browser, filter, at="0.0", **form) == "nature==BALANCE_SHEET;(type==DETAIL,id==1000)"
    assert built(browser, filter, beside="0", **form) == (
        "(nature==PROFIT_AND_LOSS,nature==BALANCE_SHEET);(type==DETAIL,id==1000)"
    )
    last = {"field": "id", "operation": "is", "value": "9"}
    assert built(browser, filter, at="1.1", **last) == "nature==PROFIT_AND_LOSS;(type==DETAIL,id==9)"
    assert built(browser, filter, beside="1", **last) == "nature==PROFIT_AND_LOSS;(type==DETAIL,id==1000,id==9)"
    shown = browser.get(CONDITION, {"list": urlencode({"filter": filter}), "at": "1.1"}).context["form"]
    assert (shown.named.path, shown.operation.name, shown.typed["value"]) == ("id", "is", "1000")


@pytest.mark.parametrize("at", ["9.9", "x", "0", "-1.0", "0.0.0", "²"])
def test_a_condition_that_is_not_there_cannot_be_changed(chart, rita, at):
    """The list was changed in another window; the fields are offered instead."""
    answer = browser_of(rita).get(CONDITION, {"list": "filter=id==1,(id==2;type==DETAIL)", "at": at})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("form", "name", "message"),
    [
        ({"field": "nature", "operation": "is", "value": ""}, "value", "Choose a value."),
        ({"field": "nature", "operation": "in"}, "value", "Choose a value."),
        ({"field": "nature", "operation": "is", "value": "X"}, "value", "Nature must be one of"),
        ({"field": "id", "operation": "is", "value": "  "}, "value", "Enter a value."),
        ({"field": "id", "operation": "between", "low": "1"}, "value", "Enter a value."),
        ({"field": START, "operation": "on", "value": "31.02.2026"}, "value", "Valid from must be a date or time"),
        ({"field": START, "operation": "on", "value": "01/02/2026"}, "value", "may be"),
        ({"field": START, "operation": "on", "value": "9999-12-31"}, "value", "Valid from must be a date or time"),
        ({"field": START, "operation": "before", "value": "soon"}, "value", "Valid from must be a date or time"),
        ({"field": "id", "operation": "is", "value": "x" * 1001}, "value", "A value may have 1000 characters."),
        ({"field": "id", "operation": "in", "lines": "\n".join(map(str, range(101)))}, "value", "may have 100 values"),
        (
            {"field": "descriptions", "key": "no language", "operation": "contains", "value": "x"},
            "key",
            "'no language' is not",
        ),
        ({"field": "customAttributes", "key": "a b", "operation": "contains", "value": "x"}, "key", "blanks or signs"),
    ],
)
def test_a_wrong_value_is_pointed_out_and_kept(chart, rita, form, name, message):
    answer = browser_of(rita).get(CONDITION, form)
    assert answer.status_code == 200
    shown = answer.context["form"]
    assert message in shown.errors[name]
    assert message.split("'")[0] in answer.content.decode().replace("&#x27;", "'")
    if form.get("value", "").strip():
        assert shown.typed["value"] == form["value"].strip()


def test_a_filter_that_cannot_take_a_condition_is_kept(chart, rita):
    """One that cannot be read, and one with as many conditions as a filter may have."""
    browser = browser_of(rita)
    form = {"field": "id", "operation": "is", "value": "1"}
    for filter, message in (("nature", "cannot be read"), (";".join(["id!=1"] * 50), "more than 50 conditions")):
        answer = browser.get(CONDITION, {"list": urlencode({"filter": filter}), **form})
        assert message in answer.context["form"].errors["filter"]
        assert answer.context["form"].typed["value"] == "1"


def test_days_and_decimals_are_read_as_in_the_language_of_the_page(chart, rita):
    browser = browser_of(rita)
    browser.cookies["django_language"] = "de"
    on = {"field": START, "operation": "on", "value": "31.01.2026"}
    assert built(browser, **on) == f"{START}>=2026-01-31;{START}<2026-02-01"
    less = {"field": "percentageDifference", "operation": "less", "value": "1.234,5"}
    answer = browser.get(page(Currency, "condition"), less)
    assert answer["Location"].endswith("filter=percentageDifference%3C1234.5")
    chip = browser.get(answer["Location"]).context["cl"].filter.chips[0].parts[0]
    with override("de"):
        assert chip.words.endswith("1234,5")
    shown = browser.get(page(Currency, "condition"), {"list": "filter=percentageDifference<0.5", "at": "0.0"})
    assert shown.context["form"].typed["value"] == "0,5"
    # It could mean 25000, too.
    same = {"list": "filter=percentageDifference<25.000", "at": "0.0"}
    shown = browser.get(page(Currency, "condition"), same).context["form"].typed["value"]
    answer = browser.get(page(Currency, "condition"), {**same, **less, "value": shown})
    assert answer["Location"].endswith("filter=percentageDifference%3C25.000")
    refused = browser.get(page(Currency, "condition"), {**less, "value": "25.000"})
    assert "25000" in refused.context["form"].errors["value"]


def test_the_rest_of_the_list_is_kept_and_its_page_is_not(chart, rita):
    answer = browser_of(rita).get(
        CONDITION, {"list": "q=a&o=-1&p=3&nature__exact=X&columns=type", "field": "id", "operation": "is", "value": "1"}
    )
    assert answer["Location"] == f"{LIST}?q=a&o=-1&nature__exact=X&columns=type&filter=id%3D%3D1"


def test_a_list_loads_the_form_alone(chart, rita):
    """It then goes to the new filter by itself."""
    browser = browser_of(rita)
    part = browser.get(CONDITION, {"field": "nature"}, headers={"hx-request": "true"})
    assert "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]
    done = browser.get(
        CONDITION, {"field": "nature", "operation": "is", "value": "OTHER_STOCKS"}, headers={"hx-request": "true"}
    )
    assert done["HX-Redirect"] == f"{LIST}?filter=nature%3D%3DOTHER_STOCKS"


def test_a_reference_is_searched_for_in_the_repository_of_the_list(chart, rita, northwind, contoso):
    browser = browser_of(rita)
    query = {"field": "rules.accrual.debitAccrual.id"}
    assert browser.get(CONDITION, query).context["form"].picker == page(Account, "pick", northwind.pk)
    assert browser.get(CONDITION, query).context["form"].operations[0].name == "is"
    other = {**query, "list": f"repository__id__exact={contoso.pk}"}
    assert browser.get(CONDITION, other).context["form"].picker is None
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    assert browser.get(CONDITION, query).context["form"].picker is None


def test_the_form_costs_a_fixed_number_of_queries(chart, rita):
    browser = browser_of(rita)
    for query in ({}, {"field": "nature"}):
        with CaptureQueriesContext(connection) as queries:
            browser.get(CONDITION, query)
        assert len(queries) <= 12
