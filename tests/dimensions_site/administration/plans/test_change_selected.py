"""Fields of the elements that are selected in the list are changed together, by a plan that shows it first."""

import json
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from account.models import Account
from bulkops.models import Plan, PlanAction, PlanStatus
from bulkops.plans.deciding import apply_plan
from currency.models import Currency
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.site.pages import errors, filled_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("C15", "K4", "G2")


@pytest.fixture
def chart(northwind, contoso):
    """Three accounts and two currencies in Northwind, and an account in Contoso."""
    store_accounts(
        northwind,
        account("1000"),
        account("1100", descriptions={"en": "Bank", "fr": "Banque"}, nature="PROFIT_AND_LOSS"),
        account("2000", descriptions={"en": "Loans", "de": None}, documentationLink="https://example.com"),
    )
    store_currencies(northwind, currency("EUR"), currency("USD"))
    store_accounts(contoso, account("1000C"))


def keys(*ids: str, model: Any = Account) -> list[int]:
    return list(model.objects.filter(element_id__in=ids).values_list("pk", flat=True))


def act(browser: Client, selected: list[int], query: str = "", model: Any = Account, **form: Any) -> Any:
    """Choose the action, or send its form with what was chosen there."""
    data = {"action": "change_elements", "_selected_action": selected, "select_across": "0", **form}
    return browser.post(f"{page(model)}{query}", data)


def chosen(browser: Client, selected: list[int], changes: dict[str, str], query: str = "", **form: Any) -> Any:
    """Open the form, choose the changes as a browser would, and send it."""
    shown = act(browser, selected, query, **form)
    return browser.post(
        f"{page(form.get('model', Account))}{query}",
        {**filled_in(shown, "changes-form"), **changes, "_selected_action": selected},
    )


def entry(path: str, key: str, how: str, text: str = "", number: int = 20) -> dict[str, str]:
    """The form data of a row that was added to a map."""
    return {f"{path}:{number}:{name}": value for name, value in (("key", key), ("how", how), ("text", text))}


def described(plan: Plan) -> dict[str, set[tuple[str, Any, Any]]]:
    """What the plan changes in each element; the databases keep the entries of maps in different orders."""
    return {
        one.element_id: {(each["path"], each["before"], each["after"]) for each in json.loads(one.changes)}
        for one in plan.changes.order_by("element_id")
    }


def applied(plan: Plan, name: str = "ed") -> Plan:
    return apply_plan(plan, Actor(name, Channel.PLAN, str(plan.pk), "tidy up"), lambda _role: None)


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


@pytest.mark.django_db(transaction=True)
def test_a_value_is_set_in_the_selected_elements_once_the_plan_is_applied(chart, ed, northwind):
    """The plan has what changes and what stays; it is one change set."""
    sent = chosen(browser_of(ed), keys("1000", "1100"), {"nature:how": "set", "nature": "PROFIT_AND_LOSS"})
    assert sent.status_code == 302
    assert said(sent) == ["A change proposal was made: 1 of the 2 selected would change."]
    plan = Plan.objects.get()
    assert (plan.repository, plan.dimension, plan.requester, plan.status) == (northwind, "account", "ed", "READY")
    assert (plan.created, plan.changed, plan.unchanged, plan.deleted) == (0, 1, 1, 0)
    assert described(plan) == {"1000": {("nature", "BALANCE_SHEET", "PROFIT_AND_LOSS")}}
    assert Account.objects.get(element_id="1000").nature == "BALANCE_SHEET"

    done = applied(plan)
    assert Account.objects.get(element_id="1000").nature == "PROFIT_AND_LOSS"
    found = ChangeSet.objects.get(pk=str(done.change_set))
    assert (found.user, found.channel, found.reason, found.changed) == ("ed", Channel.PLAN, "tidy up", 1)


def test_fields_of_every_kind_are_set_and_cleared(chart, ed):
    """Enumerations, booleans, dates, references in columns and in bundles."""
    cash_flow = "cashFlowPlanning.variation.debit"
    changes = {
        "dataEntryAndReporting.class:how": "clear",
        "dataEntryAndReporting.icManagement:how": "set",
        "dataEntryAndReporting.icManagement": "false",
        "dataEntryAndReporting.validity.startDate:how": "set",
        "dataEntryAndReporting.validity.startDate": "2026-01-31",
        "conversion.referenceAccountForInitialBalance:how": "set",
        "conversion.referenceAccountForInitialBalance": "1000",
        f"{cash_flow}.id:how": "set",
        f"{cash_flow}.id": "nowhere",
        "documentationLink:how": "clear",
    }
    sent = chosen(browser_of(ed), keys("2000"), changes)
    assert said(sent)[1:] == [f"The ids in these fields do not exist in the repository: {cash_flow}.id 'nowhere'."]
    assert described(Plan.objects.get()) == {
        "2000": {
            ("conversion.referenceAccountForInitialBalance", None, "1000"),
            ("documentationLink", "https://example.com", None),
            ("dataEntryAndReporting.validity.startDate", None, "2026-01-31T00:00:00.000+0000"),
            ("dataEntryAndReporting.class", "NONE", None),
            ("dataEntryAndReporting.icManagement", None, False),
            (f"{cash_flow}.id", None, "nowhere"),
        }
    }


def test_a_text_is_added_to_the_text_of_each_element(chart, ed):
    """At the end or at the beginning, in the chosen language; where there is no text, none is added."""
    changes = {
        **entry("descriptions", "en", "append", " (closed)"),
        **entry("descriptions", "de", "prepend", "Alt: ", number=21),
        "documentationLink:how": "append",
        "documentationLink": "/help",
    }
    chosen(browser_of(ed), keys("1000", "1100", "2000"), changes)
    plan = Plan.objects.get()
    assert described(plan) == {
        "1000": {("descriptions.en", "Cash", "Cash (closed)"), ("descriptions.de", "Kasse", "Alt: Kasse")},
        "1100": {("descriptions.en", "Bank", "Bank (closed)")},
        "2000": {
            ("descriptions.en", "Loans", "Loans (closed)"),
            ("documentationLink", "https://example.com", "https://example.com/help"),
        },
    }
    applied(plan)
    assert Account.objects.get(element_id="2000").descriptions == {"en": "Loans (closed)", "de": None}


def test_entries_of_maps_are_set_and_cleared_by_language_or_name(chart, ed):
    """An entry is set in all, and cleared only where there is one; the others stay."""
    changes = {
        **entry("descriptions", "fr", "clear"),
        **entry("alternativeDescriptions", "it", "set", "Cassa"),
        **entry("customAttributes", "Owner", "set", "Anna"),
    }
    chosen(browser_of(ed), keys("1000", "1100"), changes)
    both = {("alternativeDescriptions.it", None, "Cassa"), ("customAttributes.Owner", None, "Anna")}
    found = described(Plan.objects.get())
    assert found["1000"] == both
    assert found["1100"] == {("descriptions.fr", "Banque", None), *both}


def test_languages_that_are_in_use_are_offered(chart, ed):
    """Each in a row of its own, which stays as it is."""
    shown = act(browser_of(ed), keys("1000"))
    rows = shown.context["form"].controls["descriptions"].rows
    assert [row.key for row in rows] == ["en", "de", "fr"]
    assert all(f"descriptions:{number}:how" in filled_in(shown, "changes-form") for number in range(3))


def test_what_cannot_be_changed_is_not_offered(chart, ed):
    """Neither ids nor what the service writes; a required field is not cleared, and no text is added to a code."""
    browser = browser_of(ed)
    controls = act(browser, keys("EUR", model=Currency), model=Currency).context["form"].controls
    assert {"id", "oid", "description", "updateInfo.user"}.isdisjoint(controls)
    offered = {path: [value for value, _ in one.choice.options] for path, one in controls.items() if one.choice}
    assert offered["decimalNumbers"] == ["", "set"]
    assert offered["referenceCurrency.id"] == ["", "set", "clear"]
    assert offered["xbrlContent"] == ["", "set", "clear", "append", "prepend"]
    for invalid in ({"decimalNumbers:how": "clear"}, {"nature:how": "remove"}, {"xbrlContent": "a\0", "x": "y"}):
        model = Currency if "nature:how" not in invalid else Account
        selected = keys("EUR", "1000", model=model)
        assert act(browser, selected, model=model, chosen="yes", **invalid).status_code == 400
    assert not Plan.objects.exists()


def test_all_that_the_list_finds_is_changed(chart, ed, northwind):
    """Across all pages, and only what the filter and the search find."""
    store_accounts(northwind, *(account(f"N{number:03}") for number in range(120)))
    browser, changes = browser_of(ed), {"nature:how": "set", "nature": "PROFIT_AND_LOSS"}
    one = keys("N000")
    assert act(browser, one, "?q=N0", select_across="1").context["count"] == 100
    chosen(browser, one, changes, "?q=N0", select_across="1")
    plan = Plan.objects.get()
    assert (plan.changed, plan.changes.filter(element_id__startswith="N0").count()) == (100, 100)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"": ["Choose for at least one field what to do with it."]}),
        ({"nature:how": "set"}, {"nature": ["Enter a value, or choose something else to do with the field."]}),
        (
            {"dataEntryAndReporting.validity.startDate:how": "set", "dataEntryAndReporting.validity.startDate": "soon"},
            {
                "dataEntryAndReporting.validity.startDate": [
                    'Valid from must be a date or time such as 2026-01-31 or 2026-01-31 10:00:00; got "soon".'
                ]
            },
        ),
        (
            entry("descriptions", "no language", "set", "Cash"),
            {"descriptions.no language": ["Description: 'no language' is not a language tag such as de."]},
        ),
        (
            {**entry("descriptions", "es", "set", "Caja"), **entry("descriptions", "es", "clear", number=21)},
            {"descriptions.es": ["es is there twice; keep one of the two."]},
        ),
    ],
    ids=["nothing", "no value", "invalid", "no language", "twice"],
)
def test_what_is_wrong_in_the_form_is_said_at_the_field(chart, ed, changes, expected):
    """No plan is made, and what was typed is still there."""
    again = chosen(browser_of(ed), keys("1000"), changes)
    assert again.status_code == 200
    assert errors(again) == expected
    assert not Plan.objects.exists()
    assert changes.items() <= filled_in(again, "changes-form").items()


def test_what_the_rules_of_saving_reject_is_said_element_by_element(chart, ed, northwind):
    """As for a bulk patch: no plan is made."""
    store_accounts(
        northwind, account("3000", descriptions={"en": "x" * 995}), account("3<b>", descriptions={"en": "y" * 999})
    )
    again = chosen(browser_of(ed), keys("1000", "3000", "3<b>"), entry("descriptions", "en", "append", " (closed)"))
    found = [(failure.id, failure.message) for failure in again.context["errors"]]
    assert found == [
        ("3000", "Description (en) is 1,004 characters long; the limit is 1,000."),
        ("3<b>", "Description (en) is 1,008 characters long; the limit is 1,000."),
    ]
    text = again.content.decode()
    assert "there are 2 errors in what is selected" in text
    assert "3&lt;b&gt;" in text
    assert not Plan.objects.exists()


def test_many_errors_are_counted_and_the_first_are_listed(chart, ed, northwind):
    """Nobody reads a thousand of them."""
    store_accounts(northwind, *(account(f"N{number:02}", descriptions={"en": "x" * 1000}) for number in range(60)))
    again = chosen(browser_of(ed), keys("N00"), entry("descriptions", "en", "append", "!"), "?q=N", select_across="1")
    assert len(again.context["errors"]) == 50
    assert "there are 60 errors" in again.content.decode()
    assert "and 10 more" in again.content.decode()


def test_nothing_to_change_makes_no_plan(chart, ed):
    """The form says so."""
    again = chosen(browser_of(ed), keys("1000"), {"nature:how": "set", "nature": "BALANCE_SHEET"})
    assert errors(again) == {"": ["Nothing would change: these values are there already."]}
    assert not Plan.objects.exists()


def test_too_many_elements_are_refused_with_the_limit(chart, ed, settings):
    """Before anything is chosen."""
    settings.PLAN_MAX_CHANGES = 2
    browser = browser_of(ed)
    for form in ({}, {"chosen": "yes", "nature:how": "set", "nature": "PROFIT_AND_LOSS"}):
        refused = act(browser, keys("1000", "1100", "2000"), **form)
        assert said(refused)[-1] == (
            "3 are selected, and at most 2 can be changed together. Select fewer, or filter the list."
        )
    assert chosen(browser, keys("1000", "1100"), {"nature:how": "set", "nature": "PROFIT_AND_LOSS"}).status_code == 302


@pytest.mark.parametrize(
    "changes",
    [{"nature:how": "set", "nature": "PROFIT_AND_LOSS"}, entry("descriptions", "en", "append", "!")],
    ids=["set", "append"],
)
def test_stored_texts_are_read_in_batches(chart, ed, northwind, changes):
    """A few queries for each 200 elements more, and none for a single one."""
    store_accounts(northwind, *(account(f"W{number:03}") for number in range(450)))
    browser = browser_of(ed)

    def queries(query: str) -> int:
        with CaptureQueriesContext(connection) as found:
            chosen(browser, keys("W000"), changes, query, select_across="1")
        return len(found)

    few, many = queries("?q=W00"), queries("?q=W")
    assert Plan.objects.order_by("-changed")[0].changes.filter(action=PlanAction.CHANGED).count() == 450
    assert set(Plan.objects.values_list("status", flat=True)) == {PlanStatus.READY}
    assert many - few <= 16


def test_the_description_of_a_reference_follows_the_id_that_is_set(chart, ed, northwind):
    """Elements that have the id already keep theirs; a description that is changed itself is as it was chosen."""
    debit = "rules.accrual.debitAccrual"
    stored = (("A1", "2000", "My own"), ("A2", "1000", "Cash"), ("A3", None, None))
    store_accounts(
        northwind,
        *(account(id, rules={"accrual": {"debitAccrual": {"id": to, "description": text}}}) for id, to, text in stored),
    )
    selected = keys("A1", "A2", "A3")
    chosen(browser_of(ed), selected, {f"{debit}.id:how": "set", f"{debit}.id": "2000"})
    follows = (f"{debit}.description", "Cash", "Loans"), (f"{debit}.description", None, "Loans")
    assert described(Plan.objects.get()) == {
        "A2": {(f"{debit}.id", "1000", "2000"), follows[0]},
        "A3": {(f"{debit}.id", None, "2000"), follows[1]},
    }
    Plan.objects.all().delete()
    chosen(browser_of(ed), selected, {f"{debit}.id:how": "clear"})
    assert described(Plan.objects.get()) == {
        "A1": {(f"{debit}.id", "2000", None), (f"{debit}.description", "My own", None)},
        "A2": {(f"{debit}.id", "1000", None), (f"{debit}.description", "Cash", None)},
    }
    Plan.objects.all().delete()
    own = {f"{debit}.description:how": "set", f"{debit}.description": "Chosen"}
    chosen(browser_of(ed), selected, {f"{debit}.id:how": "set", f"{debit}.id": "NOPE", **own})
    assert all(
        (f"{debit}.description", text, "Chosen") in described(Plan.objects.get())[id] for id, _to, text in stored
    )


def test_readers_do_not_change(chart, northwind, contoso, rita):
    """Readers do not see the action; a proposer of another repository learns why it is refused."""
    browser, changes = browser_of(rita), {"chosen": "yes", "nature:how": "set", "nature": "PROFIT_AND_LOSS"}
    assert "change_elements" not in browser.get(page(Account)).content.decode()
    act(browser, keys("1000"), **changes)
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.PROPOSER)
    assert "change_elements" in browser.get(page(Account)).content.decode()
    refused = act(browser, keys("1000"), **changes)
    assert said(refused) == ["Nothing was done: this needs the role proposer in the repository."]
    assert not Plan.objects.exists()
