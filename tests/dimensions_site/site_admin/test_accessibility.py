"""Everybody can read and use the pages of the admin: axe finds nothing serious (WCAG 2.1 A and AA), and all fits."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any, Literal
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, FileImport, Worker
from bulkops.worker.tasks import work
from currency.models import Currency
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import (
    AccessChange,
    AccessGrant,
    ApiKey,
    LoginFailures,
    Repository,
    Role,
)
from dimensions_site.tokens.models import Application, IssuedToken
from tests.browser import WIDTHS, fits, signed_in
from tests.bulkops.admin.imports import BANK, CASH, FAULTY, HEADINGS, checked, confirm, upload
from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.elements.admin.test_element_form_browser import SAVE_ELSEWHERE
from tests.dimensions_site.site_admin.people import browser_of, page, superuser
from tests.dimensions_site.tokens.clients import access_token, service
from tests.factories import Caller, account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.django_db(transaction=True)

# The pages are tested in that many parts, which processes of the tests share.
PARTS = 3
AXE = Axe().axe_script
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
# What depends on the colours; the dark scheme changes nothing else.
_RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]
_SCHEMES: tuple[tuple[Literal["light", "dark"], list[str]], ...] = (("light", _RULES), ("dark", _RULES_OF_COLOURS))
# What moves or fades would be measured half-way. A style of the page itself the content security policy would refuse.
STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important; }");
  document.adoptedStyleSheets = [sheet];
}"""


@pytest.fixture
def filled(alice: Caller, northwind: Repository) -> None:
    """Accounts, currencies, deleted ones, running and ended deletions, and an import at each step."""
    names = {"1000": ("Cash", "Kasse"), "2000": ("Loans", "Darlehen"), "OLD": ("Old", "Alt")}
    store_accounts(
        northwind,
        *(account(id, descriptions={"en": english, "de": german}) for id, (english, german) in names.items()),
        account("1100", rules={"grossAmountEqualICSum": True, "accrual": {"debitAccrual": {"id": "1000"}}}),
    )
    store_currencies(northwind, currency("EUR"), currency("OLD"))
    start(alice, ["OLD", "MISSING"], "account")
    work_now()
    browser = browser_of(alice)
    upload(browser, northwind, HEADINGS.replace("descriptions.en", "Text") + BANK, "draft.csv")
    found = checked(browser, northwind, HEADINGS + CASH.replace("Cash", "Cash in hand") + FAULTY)
    FileImport.objects.filter(pk=found.pk).update(file_name="checked.csv")
    confirm(browser, checked(browser, northwind, HEADINGS + CASH.replace("Cash", "Petty cash")))
    work()
    confirm(browser, checked(browser, northwind, HEADINGS + CASH))
    start(alice, ["2000"], "account")
    alice.send("PATCH", alice.account("elements/1000"), {"nature": "PROFIT_AND_LOSS"}, Change_Reason="Word " * 199)
    # The widest client id: forty letters are drawn for each.
    access_token(service(alice.user, client_id="W" * 40))


def pages_of_managers() -> Iterator[str]:
    """The address of every page that a manager has access to."""
    element = Account.objects.get(element_id="1000").pk
    yield from (reverse("admin:index"), page(Account), f"{page(Account)}?q=nothing", page(Currency))
    yield from (page(Account, name, element) for name in ("change", "history", "delete"))
    yield from (page(Account, name) for name in ("add", "deleted_elements", "export_file"))
    yield from pages_of_states()
    deleted = AccountVersion.objects.filter(element_id="OLD").latest("number")
    yield page(Account, "version", deleted.pk)
    yield page(Currency, "change", Currency.objects.get(element_id="EUR").pk)
    for model in (DataProcessing, FileImport, ChangeSet):
        yield page(model)
        yield from (page(model, "change", key) for key in model.objects.order_by("pk").values_list("pk", flat=True))
    yield page(FileImport, "add")
    yield from (reverse(f"admin:{name}") for name in ("password_change", "password_change_done"))
    # Neither of the first two is there, and the third is for superusers.
    yield from (page(Account, "change", 10**9), reverse("admin:app_list", args=["account"]), page(User))


def pages_of_states() -> Iterator[str]:
    """The list and the comparison with states of the past, and with errors."""
    northwind = Repository.objects.get().pk
    first = f"{ChangeSet.objects.earliest('committed_at').committed_at + timedelta(seconds=1):%Y-%m-%dT%H:%M:%S}"
    late = "2999-01-01T00:00"
    yield from (f"{page(Account)}?as_of={moment}" for moment in (first, late))
    compared = f"{page(Account, 'compare')}?from_repository={northwind}&repository={northwind}"
    yield from (page(Account, "compare"), f"{compared}&from={first}", f"{compared}&to={late}&filter=natur")


def pages_of_superusers() -> Iterator[str]:
    """The address of every page that only a superuser may come to."""
    for model in (User, Group, Repository, AccessGrant, ApiKey, Application):
        yield from (page(model), page(model, "add"))
        yield page(model, "change", model.objects.order_by("pk").values_list("pk", flat=True)[0])
    yield page(Repository, "history", Repository.objects.get().pk)
    yield page(User, "delete", User.objects.get(username="alice").pk)
    yield reverse("admin:auth_user_password_change", args=[User.objects.get(username="alice").pk])
    yield from (page(Worker), f"{page(User)}?q=nobody", page(IssuedToken))
    yield from (page(LoginFailures), page(AccessChange))


# --- Pages that come only after something was sent, and how to get there from the one before ------------------------


def question_before_a_deletion(tab: Page) -> None:
    tab.get_by_role("link", name="Accounts", exact=True).click()
    tab.get_by_role("checkbox", name="Select ").nth(1).check()
    tab.get_by_label("Select action to run").select_option("delete_elements")
    tab.get_by_role("button", name="Run", exact=True).click()
    expect(tab.get_by_role("button", name="Delete them")).to_be_visible()


def form_with_mistakes(tab: Page) -> None:
    tab.get_by_role("link", name="Accounts", exact=True).click()
    tab.get_by_role("link", name="1000", exact=True).click()
    tab.get_by_label("descriptions: Language").first.fill("no language")
    tab.get_by_role("tab", name="dataEntryAndReporting").click()
    tab.get_by_label("startDate").fill("tomorrow")
    tab.get_by_role("button", name="Save and continue editing").click()
    expect(tab.get_by_role("alert")).to_be_visible()


def form_with_a_conflict(tab: Page) -> None:
    tab.get_by_role("link", name="Accounts", exact=True).click()
    tab.get_by_role("link", name="1000", exact=True).click()
    expect(tab.get_by_role("tab", name="General")).to_be_visible()
    tab.evaluate(SAVE_ELSEWHERE, {"descriptions:0:text": "Money", "descriptions:1:text": "Geld"})
    tab.get_by_label("descriptions en: Text", exact=True).fill("Cash of ours")
    tab.get_by_role("tab", name="conversion").click()
    tab.get_by_role("combobox", name="referenceAccountForInitialBalance").fill("no such account")
    tab.get_by_role("button", name="Save and continue editing").click()
    expect(tab.get_by_role("group", name="descriptions.en")).to_be_visible()


def page_that_is_too_old(tab: Page) -> None:
    tab.goto(urljoin(tab.url, reverse("admin:password_change")))
    tab.evaluate("document.querySelector('[name=csrfmiddlewaretoken]').value = 'x'.repeat(64)")
    tab.evaluate("document.querySelector('[name=csrfmiddlewaretoken]').form.submit()")
    expect(tab.get_by_role("heading", name="The page is too old")).to_be_visible()


def sign_in_before_the_form(tab: Page) -> None:
    tab.get_by_role("link", name="Accounts", exact=True).click()
    tab.get_by_role("link", name="1000", exact=True).click()
    tab.get_by_label("descriptions en: Text", exact=True).fill("Petty cash")
    tab.context.clear_cookies(name="sessionid")
    tab.get_by_role("button", name="Save and continue editing").click()
    expect(tab.get_by_text("the form comes back with what you typed")).to_be_visible()


def columns_with_a_error(tab: Page) -> None:
    tab.get_by_role("link", name="Imports", exact=True).click()
    tab.get_by_role("link", name="draft.csv").click()
    tab.get_by_role("button", name="Check the file").click()
    expect(tab.get_by_role("alert")).to_be_visible()


def new_key(tab: Page) -> None:
    tab.get_by_role("link", name="API keys", exact=True).click()
    tab.locator("a[href$='/apikey/add/']").first.click()
    tab.get_by_label("Name").fill("Nightly report")
    tab.locator(".field-user .select2-selection").click()
    tab.get_by_role("searchbox").last.fill("alice")
    tab.get_by_role("option", name="alice").click()
    tab.get_by_role("button", name="Save", exact=True).click()
    expect(tab.get_by_text("copy it now, it is not shown again")).to_be_visible()


def serious(tab: Page, rules: list[str]) -> Iterator[str]:
    """What axe finds serious or critical on the page."""
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    for error in tab.evaluate("async options => (await axe.run(document, options)).violations", options):
        if error["impact"] in ("serious", "critical"):
            yield from (f"{error['id']}: {node['html'][:300]}" for node in error["nodes"])


def errors_in_every_shape(tab: Page) -> Iterator[str]:
    """What is wrong with the page in both schemes, on a desktop and on a phone, in all its tabs."""
    tab.wait_for_load_state()
    tab.evaluate("document.querySelectorAll('[role=tabpanel]').forEach(panel => panel.hidden = false)")
    for loaded_when_seen in tab.locator("[data-load]").all():
        loaded_when_seen.scroll_into_view_if_needed()
        expect(loaded_when_seen.locator("p").first).to_be_visible()
    tab.evaluate(STILL)
    tab.evaluate(AXE)
    for name, width in WIDTHS.items():
        tab.set_viewport_size({"width": width, "height": 900})
        if not fits(tab):
            yield f"{name}: sticks out at the right"
        for scheme, rules in _SCHEMES:
            tab.emulate_media(color_scheme=scheme)
            # The theme looks at the scheme when the page is loaded; the pages without the theme follow it.
            tab.evaluate("is => document.documentElement.classList.toggle('dark', is)", scheme == "dark")
            yield from (f"{name}, {scheme}: {error}" for error in serious(tab, rules))


def errors(
    visit: Any, addresses: Iterable[str], browser: Client | None, *ways: Callable[[Page], None]
) -> dict[str, list[str]]:
    """What is wrong with the pages, by their addresses, and with those to which the `ways` lead."""
    first, *others = addresses
    found: dict[str, list[str]] = {}

    def look(tab: Page) -> None:
        # What fades in would be measured half-way.
        tab.emulate_media(reduced_motion="reduce")
        origin = tab.url.removesuffix(first)
        found[first] = list(errors_in_every_shape(tab))
        for address in others:
            tab.goto(f"{origin}{address}")
            found[address] = list(errors_in_every_shape(tab))
        for way in ways:
            tab.set_viewport_size({"width": WIDTHS["desk"], "height": 900})
            tab.goto(f"{origin}{reverse('admin:index')}")
            way(tab)
            found[way.__name__] = list(errors_in_every_shape(tab))

    visit(first, look, **({} if browser is None else {"storage_state": signed_in(browser)}))
    return {address: told for address, told in found.items() if told}


WAYS_OF_MANAGERS = (
    question_before_a_deletion,
    form_with_mistakes,
    form_with_a_conflict,
    columns_with_a_error,
    page_that_is_too_old,
    sign_in_before_the_form,  # the last one: it signs her out
)


@pytest.mark.parametrize("part", range(PARTS))
def test_everybody_can_use_the_pages_of_managers(part, filled, visit, alice):
    """The pages of elements, their history and deletion, jobs, imports and the user's own password."""
    pages = list(pages_of_managers())[part::PARTS]
    assert errors(visit, pages, browser_of(alice), *WAYS_OF_MANAGERS[part::PARTS]) == {}


@pytest.mark.parametrize("part", range(PARTS))
def test_everybody_can_use_the_pages_of_superusers(part, filled, visit, alice, northwind):
    """The pages of repositories, people, grants, keys, failed sign-ins and workers."""
    LoginFailures.objects.create(name="alice", address="192.0.2.1", failures=5, failed_at=timezone.now())
    LoginFailures.objects.create(name="alice", daily_failures=100, failed_at=timezone.now())
    group = Group.objects.create(name="Auditors")
    AccessGrant.objects.create(group=group, repository=northwind, role=Role.READER)
    pages = list(pages_of_superusers())[part::PARTS]
    assert errors(visit, pages, superuser(), *[new_key][part::PARTS]) == {}


def test_everybody_can_use_the_page_of_the_login(visit, db):
    """Before anybody is known."""
    assert errors(visit, [reverse("admin:login")], None) == {}
