"""What a list shows, or what is selected in it, is exported to a file that can be imported again."""

import re
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from bulkops.files.workbooks import writing as workbook_writing
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.dimensions import MODELS
from tests.dimensions_site.administration.site.pages import filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page, superuser
from tests.factories import account, content, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("H4", "G2")

EXPORT = "export_file"
STORE: dict[str, Any] = {"account": store_accounts, "currency": store_currencies}


@pytest.fixture
def chart(northwind: Repository, contoso: Repository) -> None:
    """Three accounts in Northwind, and one in Contoso that the same searches would find."""
    store_accounts(
        northwind,
        account("1000"),
        account("1100", descriptions={"en": "Bank", "fr": "=Banque"}, nature="PROFIT_AND_LOSS"),
        account("2000", descriptions={"en": "Loans", "de": "Darlehen"}),
    )
    store_accounts(contoso, account("1000C", descriptions={"de": "Kasse"}, nature="PROFIT_AND_LOSS"))


def offered(browser: Client, query: str = "", dimension: str = "account") -> str:
    """The address of the button of the list that shows what the query asks for."""
    text = browser.get(f"{page(MODELS[dimension])}{query}").content.decode()
    [address] = re.findall(rf'href="({page(MODELS[dimension], EXPORT)}[^"]*)"', text)
    return str(address).replace("&amp;", "&")


def send(browser: Client, shown: Any, **changed: Any) -> Any:
    """Send the form of the page as a browser would, but for what is `changed`."""
    sent = filled_in(shown, "export-form") | {"format": "ndjson", **changed}
    return browser.post(shown.context["address"], sent)


def select(browser: Client, repository: Repository, *ids: str, query: str = "") -> Any:
    """The page for selected accounts."""
    found = MODELS["account"].objects.filter(repository=repository, element_id__in=ids)
    keys = list(found.values_list("pk", flat=True))
    sent = {"action": "export_elements", "_selected_action": keys, "select_across": "0"}
    return browser.post(f"{page(MODELS['account'])}{query}", sent)


def ids(answer: Any) -> list[str]:
    """The ids in an NDJSON file."""
    return [orjson.loads(line)["id"] for line in content(answer).splitlines()]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["1000", "1100", "2000"]),
        ("?q=bank", ["1100"]),
        ("?nature__exact=BALANCE_SHEET", ["1000", "2000"]),
        ("?nature__exact=BALANCE_SHEET&q=darlehen", ["2000"]),
        ("?has_logic=no&changed_by=nobody", None),
        ("?o=-1", ["2000", "1100", "1000"]),
    ],
)
def test_the_button_exports_what_the_list_shows(chart, northwind, rita, query, expected):
    """With its search, its filters and its order, also for readers."""
    browser = browser_of(rita)
    address = offered(browser, query)
    shown = browser.get(address, follow=expected is None)
    if expected is None:
        assert messages_of(shown) == ["There is nothing to export: nothing was found."]
    else:
        assert f"{northwind}: {len(expected)} to export" in shown.content.decode()
        assert ids(send(browser, shown)) == expected


def test_a_query_that_the_list_does_not_know_leads_to_the_list(chart, rita):
    """The list says so."""
    answer = browser_of(rita).get(f"{page(MODELS['account'], EXPORT)}?nature__exact=X&p=900", follow=True)
    assert answer.redirect_chain[0][0].startswith(page(MODELS["account"]))


def test_selected_elements_alone_are_exported(chart, northwind, contoso, rita):
    """Within the filter of the list, and never one of another repository."""
    browser = browser_of(rita)
    shown = select(browser, northwind, "1000", "2000", query="?nature__exact=BALANCE_SHEET")
    keys = MODELS["account"].objects.filter(element_id__in=["1000", "2000"]).values_list("pk", flat=True)
    sent = filled_in(shown, "export-form") | {"format": "ndjson", "_selected_action": list(keys)}
    assert ids(browser.post(shown.context["address"], sent)) == ["1000", "2000"]
    foreign = MODELS["account"].objects.get(repository=contoso).pk
    assert ids(send(browser, shown, _selected_action=[foreign, *keys])) == ["1000", "2000"]
    nothing = send(browser, shown, _selected_action=[foreign])
    assert messages_of(browser.get(nothing.url)) == ["There is nothing to export: nothing was found."]


def test_of_several_repositories_one_is_chosen(chart, northwind, contoso, bob):
    """A file is of one repository; those without a grant cannot be chosen."""
    AccessGrant.objects.create(user=bob.user, repository=northwind, role=Role.READER)
    third = Repository.objects.create(db_id="fabrikam", name="Fabrikam", default_language="en")
    store_accounts(third, account("9000"))
    browser = browser_of(bob)
    shown = browser.get(offered(browser, "?nature__exact=PROFIT_AND_LOSS"))
    assert "Fabrikam" not in shown.content.decode()
    for repository, found in ((northwind, "1100"), (contoso, "1000C")):
        assert ids(send(browser, shown, repository=repository.pk)) == [found]
    for wrong in ("", third.pk, "x"):
        again = send(browser, shown, repository=wrong)
        assert list(again.context["form"].errors) == ["repository"]
    alone = browser.get(offered(browser, f"?repository__id__exact={contoso.pk}"))
    assert "repository" not in alone.context["form"].fields
    assert ids(send(browser, alone)) == ["1000C"]


def test_the_default_language_is_that_of_the_chosen_repository(chart, northwind, contoso):
    """And so is the first column of the descriptions."""
    browser = superuser()
    shown = browser.get(offered(browser))
    for repository, language in ((northwind, "en"), (contoso, "de")):
        headings = content(send(browser, shown, repository=repository.pk, format="csv")).decode("utf-8-sig")
        assert re.findall(r"\bdescriptions\.(\w+)", headings.splitlines()[0])[0] == language


def test_the_languages_in_use_can_be_chosen(chart, rita):
    """From a list; without a choice the file has all of them, and another language is refused at the field."""
    browser = browser_of(rita)
    shown = browser.get(offered(browser))
    choices = [("de", "German (de)"), ("en", "English (en)"), ("fr", "French (fr)")]
    assert shown.context["form"].fields["languages"].choices == choices
    for chosen, expected in ((["fr", "en"], ["en", "fr"]), ([], ["en", "de", "fr"])):
        headings = content(send(browser, shown, format="csv", languages=chosen)).decode("utf-8-sig").splitlines()[0]
        assert sorted(re.findall(r"\bdescriptions\.(\w+)", headings)) == sorted(expected)
    again = send(browser, shown, languages=["fr", "no language"])
    [error] = again.context["form"].errors["languages"]
    assert "no language" in error
    assert escape(error) in again.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_table_that_no_workbook_holds_is_reported_on_the_page(chart, rita, monkeypatch):
    """No part of a file is sent."""
    monkeypatch.setattr(workbook_writing, "MAX_SHEET_ROWS", 3)
    browser = browser_of(rita)
    again = send(browser, browser.get(offered(browser)), format="xlsx")
    assert again.context["form"].errors["format"] == ["A workbook can have 3 rows, but there are more. Choose CSV."]


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_queries_do_not_grow_with_the_elements(chart, northwind, rita, format):
    """Neither those of the page nor those of the file."""
    browser = browser_of(rita)

    def queries() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as of_page:
            shown = browser.get(page(MODELS["account"], EXPORT))
        with CaptureQueriesContext(connection) as of_file:
            content(send(browser, shown, format=format))
        return len(of_page), len(of_file)

    few = queries()
    store_accounts(northwind, *(account(f"X{number:03}") for number in range(300)))
    many = queries()
    # The list counts when there is more than one page.
    assert many[0] <= few[0] + 1 <= 13
    assert many[1] <= few[1] + 1 <= 14


@pytest.mark.parametrize("dimension", MODELS)
def test_who_may_not_read_the_dimension_may_not_export(northwind, rita, dimension):
    """The grant may be of the other dimension alone."""
    STORE[dimension](northwind, {"account": account, "currency": currency}[dimension]())
    [other] = set(MODELS) - {dimension}
    rita.user.access_grants.update(dimension=other)
    browser = browser_of(rita)
    assert browser.get(page(MODELS[dimension], EXPORT)).status_code == 403
    sent = {"action": "export_elements", "_selected_action": "all", "select_across": "1", "format": "json"}
    assert browser.post(page(MODELS[dimension]), sent).status_code == 403
