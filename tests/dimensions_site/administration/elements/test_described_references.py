"""The id of a reference that somebody types brings the description of the element that it names."""

from typing import Any

import pytest
from django.test import RequestFactory
from playwright.sync_api import Page, expect

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from dimensions_site.administration.elements.references import ReferenceFinder
from dimensions_site.repositories.models import AccessGrant
from tests.browser import follow, signed_in
from tests.dimensions_site.administration.site.pages import change, filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, read
from tests.storing import store_accounts

ID = "cashFlowPlanning.variation.credit.id"
TEXT = "cashFlowPlanning.variation.credit.description"
CREDIT = {"cashFlowPlanning": {"variation": {"credit": {"id": "OLD", "description": "Trade receivables"}}}}


def nested(path: str, value: Any) -> Any:
    """The wire JSON with a value at a path."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


def value_at(element: Any, path: str) -> Any:
    for name in path.split("."):
        element = None if element is None else element[name]
    return element


@pytest.fixture
def chart(northwind):
    store_accounts(
        northwind,
        account("2000", descriptions={"en": "Bank", "de": "Bankguthaben"}),
        account("3000", descriptions={"fr": "Stocks", "it": ""}),
        account("1000", **CREDIT),
    )


def subject() -> Account:
    return Account.objects.get(element_id="1000")


def saved(alice: Any, *paths: str) -> list[Any]:
    element = read(alice.get(alice.account("elements/1000")))
    return [value_at(element, path) for path in paths]


def test_every_reference_of_accounts_is_known():
    """Banking items, accruals, the counterparty, the splitting and the planning of cash flows; no hierarchy."""
    assert len(ACCOUNT_WIRE.described) == 23
    assert {text.path for text in ACCOUNT_WIRE.described.values()} == {
        path for path in ACCOUNT_WIRE.places if path.endswith(".description")
    }


# One that refers to an account, one with a sign beside it, and one of another service.
KINDS = (
    next(id for id in ACCOUNT_WIRE.described if ACCOUNT_WIRE.places[id].leaf.refers_to),
    next(id for id in ACCOUNT_WIRE.described if "banking" in id),
    next(id for id in ACCOUNT_WIRE.described if not ACCOUNT_WIRE.places[id].leaf.refers_to and "banking" not in id),
)


@pytest.mark.contract("C12")
@pytest.mark.parametrize("id", KINDS)
def test_the_description_follows_the_id_in_the_form(chart, alice, ed, northwind, id):
    """An id of another service has none, and the earlier one is removed with a message; no other member changes."""
    text = ACCOUNT_WIRE.described[id]
    sign = text.path.replace(".description", ".changeSign")
    members = {"id": "OLD", "description": "Trade receivables"} | ({"changeSign": True} if "banking" in id else {})
    alice.send("PATCH", alice.account("elements/1000"), nested(id.removesuffix(".id"), members))
    browser = browser_of(ed)
    change(browser, subject(), **{id: "2000"})
    is_here = ACCOUNT_WIRE.places[id].leaf.refers_to is not None
    assert saved(alice, id, text.path) == ["2000", "Bank" if is_here else None]
    if "banking" in id:
        assert saved(alice, sign) == [True]
    message = f"These descriptions belonged to other ids, and were removed: {text.heading} 'Trade receivables'."
    assert (message in messages_of(browser.get(page(Account)))) is not is_here


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({ID: "2000"}, ["2000", "Bank"]),
        ({ID: "2000", TEXT: ""}, ["2000", "Bank"]),
        ({ID: "2000", TEXT: "My own"}, ["2000", "Bank"]),
        ({ID: "3000"}, ["3000", "Stocks"]),
        ({ID: "NOPE"}, ["NOPE", None]),
        ({ID: ""}, [None, None]),
        ({TEXT: "My own"}, ["OLD", "Trade receivables"]),
        ({}, ["OLD", "Trade receivables"]),
    ],
    ids=str,
)
def test_the_id_alone_decides(chart, alice, ed, typed, stored):
    """No form sends a description; what was stored over REST stays as long as the id does."""
    change(browser_of(ed), subject(), **typed)
    assert saved(alice, ID, TEXT) == stored


def test_what_is_typed_beside_an_id_of_another_service_stays(chart, alice, ed):
    """Nobody else could describe it."""
    id = KINDS[2]
    text = ACCOUNT_WIRE.described[id].path
    change(browser_of(ed), subject(), **{id: "2000", text: "My own"})
    assert saved(alice, id, text) == ["2000", "My own"]
    change(browser_of(ed), subject(), **{text: ""})
    assert saved(alice, id, text) == ["2000", None]


@pytest.mark.contract("G2")
def test_a_reference_leads_to_its_element(chart, ed, rita):
    """With its id and description, for readers, too; one that nobody has leads nowhere."""
    change(browser_of(ed), subject(), **{ID: "2000"})
    for person in (ed, rita):
        text = browser_of(person).get(page(Account, "change", subject().pk)).content.decode()
        address = page(Account, "change", Account.objects.get(element_id="2000").pk)
        assert f'<a href="{address}" title="Bank">Bank</a>' in text
    change(browser_of(ed), subject(), **{ID: "NOPE"})
    assert "data-picked><a" not in browser_of(ed).get(page(Account, "change", subject().pk)).content.decode()


def test_an_unknown_id_is_warned_about_and_so_is_the_lost_description(chart, ed):
    """Neither is silent."""
    browser = browser_of(ed)
    change(browser, subject(), **{ID: "NOPE"})
    id, text = (ACCOUNT_WIRE.places[path].heading for path in (ID, TEXT))
    assert messages_of(browser.get(page(Account)))[1:] == [
        f"It was saved, but it refers to ids that do not exist in the repository: {id} 'NOPE'.",
        f"These descriptions belonged to other ids, and were removed: {text} 'Trade receivables'.",
    ]


def test_a_new_element_gets_descriptions_in_the_language_of_the_page(chart, ed, northwind):
    """The one that its picker would have filled in."""
    browser = browser_of(ed)
    browser.cookies["django_language"] = "de"
    address = f"{page(Account, 'add')}?repository={northwind.pk}"
    typed = {"id": "5000", "descriptions:0:text": "X", "nature": "BALANCE_SHEET", "type": "NORMAL", ID: "2000"}
    conversion = {"conversion.conversionType": "FINAL"}
    assert browser.post(address, {**filled_in(browser.get(address)), **typed, **conversion}).status_code == 302
    stored = Account.objects.get(element_id="5000").cash_flow_planning["variation"]["credit"]
    assert stored == {"id": "2000", "description": "Bankguthaben"}


def test_an_id_that_is_corrected_after_an_error_brings_its_description_too(chart, alice, ed):
    """Also where no script fills it in; what was filled in is shown."""
    browser, address = browser_of(ed), page(Account, "change", subject().pk)
    shown = browser.post(address, {**filled_in(browser.get(address)), ID: "2000", "nature": ""})
    assert shown.context["form"].controls[ID].description == "Bank"
    typed = {"nature": "BALANCE_SHEET", ID: "3000"}
    assert browser.post(address, {**filled_in(shown), **typed}).status_code == 302
    assert saved(alice, ID, TEXT) == ["3000", "Stocks"]


@pytest.mark.contract("C16")
def test_in_a_conflict_the_description_is_that_of_ones_own_id(chart, alice, ed):
    """Each side's pair stays together."""
    browser, address = browser_of(ed), page(Account, "change", subject().pk)
    opened = filled_in(browser.get(address))
    theirs = {"id": "3000", "description": "Theirs"}
    alice.send("PATCH", alice.account("elements/1000"), nested(ID.removesuffix(".id"), theirs))
    shown = browser.post(address, {**opened, ID: "2000"})
    choices = shown.context["attempt"].choices
    assert [(choice.theirs, choice.mine) for choice in choices] == [("3000", "2000"), ("Theirs", "Bank")]
    again = {**filled_in(shown), "_conflict": [choice.sent for choice in choices]}
    assert browser.post(address, {**again, "_choice:0": "mine", "_choice:1": "mine"}).status_code == 302
    assert saved(alice, ID, TEXT) == ["2000", "Bank"]


@pytest.mark.contract("G2")
def test_descriptions_of_a_dimension_that_is_not_open_stay_unknown(chart, ed, northwind):
    """Nor are those of other services looked up."""
    named = [("account", "2000"), ("account", "NOPE"), ("account", "\0"), (None, "2000")]

    def found() -> Any:
        request = RequestFactory().get("/")
        request.user = ed.user
        return ReferenceFinder(request, northwind).descriptions(named)

    assert found() == {("account", "2000"): "Bank", ("account", "NOPE"): None}
    AccessGrant.objects.filter(user=ed.user).update(dimension="currency")
    assert found() == {}


@pytest.mark.contract("C15")
def test_rest_stores_what_is_sent(chart, alice):
    """The description follows the id on pages only."""
    alice.send("PATCH", alice.account("elements/1000"), nested(ID, "2000"))
    assert saved(alice, ID, TEXT) == ["2000", "Trade receivables"]


def test_the_browser_shows_the_description_of_the_typed_id(chart, ed, visit):
    """Beside the id as soon as it is left; of an id that nobody has, none; with the first id, the first one."""

    def look(shown: Page) -> None:
        group = shown.get_by_role("group", name="Variation")
        id = group.get_by_role("combobox", name="Credit account")
        text = group.locator("[data-picked]").nth(1)
        for typed, described in (("2000", "Bank"), ("NOPE", ""), ("3000", "Stocks"), ("OLD", "Trade receivables")):
            id.fill(typed)
            shown.keyboard.press("Tab")
            expect(text).to_have_text(described)
        id.fill("3000")
        shown.keyboard.press("Tab")
        link = text.get_by_role("link", name="Stocks")
        top, bottom = id.evaluate("box => [box.getBoundingClientRect().top, box.getBoundingClientRect().bottom]")
        assert top <= link.evaluate("link => link.getBoundingClientRect().top") <= bottom, "they stand in one line"
        follow(link)
        assert shown.url.endswith(stocks)

    address = page(Account, "change", subject().pk)
    stocks = page(Account, "change", Account.objects.get(element_id="3000").pk)
    visit(f"{address}#group-cashFlowPlanning", look, storage_state=signed_in(browser_of(ed)))


@pytest.mark.parametrize(("typed", "stored"), [("3000", "Stocks"), ("NOPE", None)])
def test_a_description_that_arrives_late_is_not_that_of_the_id_before(chart, ed, visit, typed, stored):
    """The page is sent while it shows the description of an id that was typed in between."""

    def look(shown: Page) -> None:
        group = shown.get_by_role("group", name="Variation")
        id = group.get_by_role("combobox", name="Credit account")
        text = group.locator("[data-picked]").nth(1)
        id.fill("2000")
        shown.keyboard.press("Tab")
        expect(text).to_have_text("Bank")
        shown.route(f"**/*q={typed}*", lambda route: None)  # never answered
        id.fill(typed)
        follow(shown.get_by_role("button", name="Save and continue editing"))

    address = page(Account, "change", subject().pk)
    visit(f"{address}#group-cashFlowPlanning", look, storage_state=signed_in(browser_of(ed)))
    credit = subject().cash_flow_planning["variation"]["credit"]
    assert credit == {"id": typed, "description": stored}
