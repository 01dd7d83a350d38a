"""A text is replaced in fields and languages of the elements that are selected in the list, by a plan that shows it."""

from typing import Any

import pytest

from account.models import Account
from bulkops.models import Plan
from tests.dimensions_site.administration.plans.test_change_selected import applied, described, keys, said
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("C15", "K4", "G2")


@pytest.fixture
def chart(northwind):
    """Three accounts, of which two name a company in several languages."""
    store_accounts(
        northwind,
        account("1000", descriptions={"en": "Acme (GmbH) cash", "de": "Kasse ACME (GmbH)"}),
        account("1100", descriptions={"en": "Bank of acme (gmbh)"}, documentationLink="https://acme.example"),
        account("2000", descriptions={"en": "Loans", "de": None}),
    )


def replace(browser: Any, selected: list[int], model: Any = Account, **form: Any) -> Any:
    """Choose the action, or send its form."""
    data = {"action": "replace_text", "_selected_action": selected, "select_across": "0", **form}
    return browser.post(page(model), data)


def test_all_descriptions_are_offered_and_ticked_at_first(chart, ed):
    """Other texts are offered, too; neither ids, references nor the texts that follow them."""
    shown = replace(browser_of(ed), keys("1000", "2000"))
    form = shown.context["form"]
    assert form.initial["columns"] == ["descriptions.en", "descriptions.de"]
    offered = dict(form.fields["columns"].choices)
    assert offered["descriptions.de"] == "Description (de)"
    assert "documentationLink" in offered
    assert not {"id", "oid", "nature", "conversion.referenceAccountForInitialBalance"} & offered.keys()
    assert not [name for name in offered if name.endswith("credit.description")]
    assert "2 are selected in the repository" in shown.content.decode()


def test_the_plan_shows_each_text_before_and_after(chart, ed):
    """Signs of patterns are letters like others; what is not found stays."""
    form = {"text": "acme (GmbH)", "replacement": r"\1 & Co.", "columns": ["descriptions.en", "descriptions.de"]}
    sent = replace(browser_of(ed), keys("1000", "1100", "2000"), **form)
    assert sent.status_code == 302
    assert said(sent) == ["A change proposal was made: 2 of the 3 selected would change."]
    plan = Plan.objects.get()
    assert described(plan) == {
        "1000": {
            ("descriptions.en", "Acme (GmbH) cash", r"\1 & Co. cash"),
            ("descriptions.de", "Kasse ACME (GmbH)", r"Kasse \1 & Co."),
        },
        "1100": {("descriptions.en", "Bank of acme (gmbh)", r"Bank of \1 & Co.")},
    }


@pytest.mark.django_db(transaction=True)
def test_applying_it_changes_only_the_chosen_languages(chart, ed):
    form = {"text": "ACME", "replacement": "", "matches_case": "on", "columns": ["descriptions.en", "descriptions.de"]}
    replace(browser_of(ed), keys("1000", "1100", "2000"), **form)
    applied(Plan.objects.get())
    assert Account.objects.get(element_id="1000").descriptions == {"en": "Acme (GmbH) cash", "de": "Kasse  (GmbH)"}
    assert Account.objects.get(element_id="2000").descriptions == {"en": "Loans", "de": None}


def test_a_text_that_is_gone_altogether_is_no_text(chart, ed):
    replace(browser_of(ed), keys("1100"), text="https://acme.example", replacement="", columns=["documentationLink"])
    assert described(Plan.objects.get()) == {"1100": {("documentationLink", "https://acme.example", None)}}


def test_errors_are_named_and_no_plan_is_left(chart, ed):
    """Nothing to find, no field, a text that does not occur, and results that cannot be stored."""
    browser, selected = browser_of(ed), keys("1000", "2000")
    assert set(replace(browser, selected, text="").context["form"].errors) == {"text", "columns"}
    unknown = replace(browser, selected, text="a", columns=["id"])
    assert "columns" in unknown.context["form"].errors
    absent = replace(browser, selected, text="Nowhere", replacement="x", columns=["descriptions.en"])
    assert absent.context["form"].errors["text"] == ["The text does not occur there."]
    long = replace(browser, selected, text="a", replacement="x" * 1_000, columns=["descriptions.en"])
    assert [failure.id for failure in long.context["errors"]] == ["1000", "2000"]
    assert "Nothing was changed: there are 2 errors in what is selected." in long.content.decode()
    emptied = replace(browser, selected, text="Loans", replacement="", columns=["descriptions.en"])
    assert [failure.id for failure in emptied.context["errors"]] == ["2000"]
    assert not Plan.objects.exists()


def test_a_reader_is_not_offered_it(chart, ed, rita, northwind):
    assert "replace_text" in browser_of(ed).get(page(Account)).content.decode()
    browser = browser_of(rita)
    assert "replace_text" not in browser.get(page(Account)).content.decode()
    refused = replace(browser, keys("1000"), text="Acme", replacement="x", columns=["descriptions.en"])
    assert refused.status_code == 302
    assert not Plan.objects.exists()
