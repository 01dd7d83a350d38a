"""Everybody can read and use the pages of the admin: axe finds nothing (WCAG 2.1 A and AA), and all fits.

What is clicked is reached by keyboard, and each box of a form has a border and a size.

In the short form axe looks at every other page, light on a desk, and at the others, dark on a phone. The long one looks
at both schemes on both, in four times the time: `make test-long`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import count
from typing import Any, Literal
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_q.models import Failure, Schedule
from playwright.sync_api import Page, expect

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, FileImport, Plan, Worker
from bulkops.worker.tasks import work
from currency.models import Currency
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import AccessChange, AccessGrant, ApiKey, LoginFailures, Repository, Role
from dimensions_site.saved_views.models import SavedView
from dimensions_site.tokens.models import Application, IssuedToken
from tests.browser import WIDTHS, fits, signed_in
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.elements.test_element_form_browser import SAVE_ELSEWHERE
from tests.dimensions_site.administration.files.imports import BANK, CASH, FAULTY, HEADINGS, checked, confirm, upload
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.dimensions_site.tokens.clients import access_token, service
from tests.factories import Person, account, add_person, currency
from tests.lengths import IS_LONG
from tests.readable import WCAG, keep_still, show_in, unseen_boxes, unusable, violations
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.django_db(transaction=True)

# The pages of managers are tested in that many parts, which processes of the tests share.
PARTS = 3
# What depends on the colours; the dark scheme changes nothing else.
_RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]
_Scheme = tuple[Literal["light", "dark"], list[str]]
_LIGHT: _Scheme = ("light", WCAG)
_DARK: _Scheme = ("dark", _RULES_OF_COLOURS)
# The widths and schemes in which axe looks at a page; pages take turns.
_SHAPES: list[dict[str, list[_Scheme]]] = [{"desk": [_LIGHT]}, {"phone": [_DARK]}]
if IS_LONG:
    _SHAPES = [{name: [_LIGHT, _DARK] for name in WIDTHS}]


@pytest.fixture
def filled(alice: Person, northwind: Repository) -> None:
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
    upload(browser, northwind, HEADINGS.replace("descriptions.en", "Memo") + BANK, "draft.csv")
    found = checked(browser, northwind, HEADINGS + CASH.replace("Cash", "Cash in hand") + FAULTY)
    FileImport.objects.filter(pk=found.pk).update(file_name="checked.csv")
    confirm(browser, checked(browser, northwind, HEADINGS + CASH.replace("Cash", "Petty cash")))
    work()
    confirm(browser, checked(browser, northwind, HEADINGS + CASH))
    start(alice, ["2000"], "account")
    alice.send("PATCH", alice.account("elements/1000"), {"nature": "PROFIT_AND_LOSS"}, Change_Reason="Word " * 199)
    changed = ChangeSet.objects.latest("committed_at", "number")
    alice.send("PATCH", alice.account("elements/1000"), {"nature": "BALANCE_SHEET"})
    make(alice, "account", undo=f"{changed.pk}")
    make(
        alice,
        "account",
        bulk={"put": [account("1000", type="DETAIL"), account("9000")], "delete": [{"id": "1100"}]},
        maxDelete=1,
        reason="Word " * 199,
    )
    make(add_person("polly", northwind, Role.PROPOSER), "account", bulk={"post": [account("9100")]})
    SavedView.objects.create(
        owner=alice.user, dimension="account", name="Missing German texts " * 3, query="filter=type%3D%3DDETAIL"
    )
    # The widest client id: forty letters are drawn for each.
    access_token(service(alice.user, client_id="W" * 40))


def pages_of_managers() -> Iterator[str]:
    """The address of every page that a manager has access to."""
    element = Account.objects.get(element_id="1000").pk
    yield from (reverse("admin:index"), page(Account), f"{page(Account)}?q=nothing", page(Currency))
    yield from (page(Account, name, element) for name in ("change", "history", "delete"))
    yield from (page(Account, name) for name in ("add", "deleted_elements", "export_file", "table"))
    yield from (page(Account, "tree"), f"{page(Account, 'tree')}?under=1")
    yield from pages_of_states()
    yield from pages_of_lists()
    deleted = AccountVersion.objects.filter(element_id="OLD").latest("number")
    yield page(Account, "version", deleted.pk)
    yield page(Currency, "add")
    yield page(Currency, "change", Currency.objects.get(element_id="EUR").pk)
    for model in (DataProcessing, FileImport, ChangeSet, Plan):
        keys = list(model.objects.order_by("pk").values_list("pk", flat=True))
        yield page(model)
        # Those of changes differ in what was changed; the others each have another state.
        yield from (page(model, "change", key) for key in (keys[-3:] if model is ChangeSet else keys))
    yield page(FileImport, "add")
    yield from (reverse(f"admin:{name}") for name in ("password_change", "password_change_done"))
    yield reverse("own_mail")
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


def pages_of_lists() -> Iterator[str]:
    """Lists with conditions, an invalid filter and chosen columns; the forms for them, and saved views."""
    filter = "nature==BALANCE_SHEET;(type==DETAIL,descriptions.de=isnull=true)"
    columns = "descriptions.de,nature,rules.accrual.debitAccrual.id"
    yield f"{page(Account)}?filter={filter}&columns={columns}&type__exact=NORMAL"
    yield f"{page(Account)}?filter=natur==X"
    yield from (page(Account, name) for name in ("condition", "columns", "views", "save_view"))
    yield f"{page(Account, 'condition')}?field=nature&operation=in"
    yield f"{page(Account, 'condition')}?field=descriptions&operation=is"
    yield f"{page(Account, 'condition')}?field=dataEntryAndReporting.validity.startDate&operation=between"
    yield page(Account, "view", SavedView.objects.get().pk)


def pages_of_superusers() -> Iterator[str]:
    """The address of every page that only a superuser may come to."""
    for model in (User, Group, Repository, AccessGrant, ApiKey, Application):
        yield from (page(model), page(model, "add"))
        yield page(model, "change", model.objects.order_by("pk").values_list("pk", flat=True)[0])
    yield page(Repository, "history", Repository.objects.get().pk)
    yield page(User, "delete", User.objects.get(username="alice").pk)
    yield reverse("admin:auth_user_password_change", args=[User.objects.get(username="alice").pk])
    yield from (page(Worker), f"{page(User)}?q=nobody", page(IssuedToken))
    yield from (page(LoginFailures), page(AccessChange), page(Schedule), page(Failure))
    yield page(Failure, "change", Failure.objects.get().pk)


# --- Pages that come only after something was sent, and how to get there from the list of accounts --------------------


def question_before_a_deletion(tab: Page) -> None:
    tab.get_by_role("checkbox", name="Select ").nth(1).check()
    tab.get_by_role("button", name="Delete", exact=True).click()
    expect(tab.get_by_role("button", name="Delete them")).to_be_visible()


def changes_with_errors(tab: Page) -> None:
    tab.get_by_role("checkbox", name="Select ").nth(1).check()
    tab.get_by_role("button", name="Change", exact=True).click()
    tab.get_by_label("Nature", exact=True).select_option("set")
    tab.get_by_label("Description English (en)", exact=True).select_option("append")
    tab.get_by_role("button", name="Add an entry").first.click()
    tab.get_by_role("button", name="Show what would change").click()
    expect(tab.get_by_role("alert")).to_be_visible()


def replacement_with_errors(tab: Page) -> None:
    tab.get_by_role("checkbox", name="Select ").nth(1).check()
    tab.get_by_role("button", name="Replace a text", exact=True).click()
    tab.get_by_label("Find").fill("nowhere")
    tab.get_by_role("button", name="Show what would change").click()
    expect(tab.get_by_text("The text does not occur there.")).to_be_visible()


def form_with_errors(tab: Page) -> None:
    tab.get_by_role("link", name="1000", exact=True).click()
    tab.get_by_role("button", name="Add a language").first.click()
    tab.get_by_label("Description: Language").fill("no language")
    tab.get_by_role("tab", name="Data entry and reporting").click()
    tab.get_by_label("Valid from", exact=True).fill("tomorrow")
    tab.get_by_role("button", name="Save and continue editing").click()
    expect(tab.get_by_role("alert")).to_be_visible()


def form_with_a_conflict(tab: Page) -> None:
    tab.get_by_role("link", name="1000", exact=True).click()
    expect(tab.get_by_role("tab", name="General")).to_be_visible()
    tab.evaluate(SAVE_ELSEWHERE, {"descriptions:0:text": "Money", "descriptions:1:text": "Geld"})
    tab.get_by_label("Description English (en)", exact=True).fill("Cash of ours")
    tab.get_by_role("combobox", name="Reference account for the initial balance").fill("no such account")
    tab.get_by_role("button", name="Save and continue editing").click()
    expect(tab.get_by_role("group", name="Description (en)")).to_be_visible()


def page_that_is_too_old(tab: Page) -> None:
    tab.goto(urljoin(tab.url, reverse("admin:password_change")))
    tab.evaluate("document.querySelector('[name=csrfmiddlewaretoken]').value = 'x'.repeat(64)")
    tab.evaluate("document.querySelector('[name=csrfmiddlewaretoken]').form.submit()")
    expect(tab.get_by_role("heading", name="The page is too old")).to_be_visible()


def sign_in_before_the_form(tab: Page) -> None:
    tab.get_by_role("link", name="1000", exact=True).click()
    tab.get_by_label("Description English (en)", exact=True).fill("Petty cash")
    tab.context.clear_cookies(name="sessionid")
    tab.get_by_role("button", name="Save and continue editing").click()
    expect(tab.get_by_text("the form comes back with what you typed")).to_be_visible()


def outdated_plan(tab: Page) -> None:
    tab.get_by_role("link", name="1000", exact=True).click()
    expect(tab.get_by_role("tab", name="General")).to_be_visible()
    tab.evaluate(SAVE_ELSEWHERE, {"descriptions:0:text": "Money"})
    tab.get_by_role("link", name="Change proposals", exact=True).click()
    tab.get_by_role("row", name="ready to apply").filter(has_text="alice").get_by_role("link").click()
    tab.get_by_role("button", name="Apply", exact=True).click()
    expect(tab.get_by_role("alert")).to_be_visible()


def rejection_without_a_text(tab: Page) -> None:
    tab.get_by_role("link", name="Change proposals", exact=True).click()
    tab.get_by_role("row", name="ready to apply").filter(has_text="polly").get_by_role("link").click()
    tab.get_by_text("Reject…").click()
    tab.get_by_role("button", name="Reject", exact=True).click()
    expect(tab.get_by_text("Say why you reject it")).to_be_visible()


def columns_with_a_error(tab: Page) -> None:
    tab.get_by_role("link", name="Imports", exact=True).click()
    tab.get_by_role("link", name="draft.csv").click()
    tab.get_by_role("button", name="Check the file").click()
    expect(tab.get_by_role("alert")).to_be_visible()


def search_by_keys(tab: Page) -> None:
    tab.keyboard.press("Control+k")
    expect(tab.get_by_role("searchbox", name="Search pages, accounts and currencies")).to_be_focused()
    tab.keyboard.type("1000")
    expect(tab.locator("#command-results li").first).to_be_visible()


def new_key(tab: Page) -> None:
    tab.get_by_role("link", name="API keys", exact=True).click()
    tab.locator("a[href$='/apikey/add/']").first.click()
    tab.get_by_label("Name").fill("Nightly report")
    tab.locator(".field-user .select2-selection").click()
    tab.get_by_role("searchbox").last.fill("alice")
    tab.get_by_role("option", name="alice").click()
    tab.get_by_role("button", name="Save", exact=True).click()
    expect(tab.get_by_text("it is not shown again")).to_be_visible()


def errors_in_shapes(tab: Page, number: int) -> Iterator[str]:
    """What is wrong with the page of that number, in all its tabs."""
    tab.wait_for_load_state()
    tab.evaluate("document.querySelectorAll('[role=tabpanel]').forEach(panel => panel.hidden = false)")
    for loaded_when_seen in tab.locator("[data-load]").all():
        loaded_when_seen.scroll_into_view_if_needed()
        expect(loaded_when_seen.locator("> a")).to_have_count(0)  # the link to what is loaded
    keep_still(tab)
    # A page begins as wide as the one before it ended.
    for name, width in list(WIDTHS.items())[:: 1 if number % 2 else -1]:
        tab.set_viewport_size({"width": width, "height": 900})
        yield from (f"{name}: {error}" for error in unusable(tab))
        if not fits(tab):
            yield f"{name}: sticks out at the right"
        for scheme, rules in _SHAPES[number % len(_SHAPES)].get(name, ()):
            show_in(tab, scheme)
            yield from (f"{name}, {scheme}: {error}" for error in violations(tab, rules))
    yield from unseen_boxes(tab)


def errors(
    visit: Any, addresses: Iterable[str], browser: Client | None, *ways: Callable[[Page], None]
) -> dict[str, list[str]]:
    """What is wrong with the pages, by their addresses, and with those to which the `ways` lead."""
    first, *others = addresses
    found: dict[str, list[str]] = defaultdict(list)

    def look(tab: Page) -> None:
        # What fades in would be measured half-way.
        tab.emulate_media(reduced_motion="reduce")
        origin = tab.url.removesuffix(first)
        numbers = count()
        found[first] += errors_in_shapes(tab, next(numbers))
        for address in others:
            tab.goto(f"{origin}{address}")
            found[address] += errors_in_shapes(tab, next(numbers))
        for way in ways:
            tab.set_viewport_size({"width": WIDTHS["desk"], "height": 900})
            tab.goto(f"{origin}{page(Account)}")
            way(tab)
            found[way.__name__] += errors_in_shapes(tab, next(numbers))

    visit(first, look, **({} if browser is None else {"storage_state": signed_in(browser)}))
    return {address: lines for address, lines in found.items() if lines}


def user_with_errors(tab: Page) -> None:
    tab.get_by_role("link", name="Users", exact=True).click()
    tab.locator("a[href$='/user/add/']").first.click()
    tab.get_by_label("Username").fill("alice")
    tab.get_by_label("Role").first.select_option("2")
    tab.get_by_role("button", name="Save", exact=True).click()
    expect(tab.get_by_text("without one nobody can sign in here")).to_be_visible()


def list_with_a_condition_to_choose(tab: Page) -> None:
    tab.get_by_role("link", name="Add a condition").click()
    tab.get_by_label("Search for a field").fill("german")
    expect(tab.get_by_role("link", name="Description (de)", exact=False).first).to_be_visible()


def list_with_its_views_open(tab: Page) -> None:
    tab.get_by_text("Saved view").click()
    expect(tab.get_by_role("link", name="All views")).to_be_visible()


def list_with_a_selected_account(tab: Page) -> None:
    tab.get_by_role("checkbox", name="Select ").nth(1).check()
    expect(tab.get_by_role("button", name="Delete", exact=True)).to_be_visible()


WAYS_OF_MANAGERS = (
    list_with_a_selected_account,
    list_with_a_condition_to_choose,
    list_with_its_views_open,
    question_before_a_deletion,
    changes_with_errors,
    replacement_with_errors,
    form_with_errors,
    form_with_a_conflict,
    columns_with_a_error,
    outdated_plan,
    rejection_without_a_text,
    page_that_is_too_old,
    search_by_keys,
    sign_in_before_the_form,  # the last one: it signs her out
)


@pytest.mark.parametrize("part", range(PARTS))
def test_everybody_can_use_the_pages_of_managers(part, filled, visit, alice):
    """The pages of elements, their history and deletion, jobs, imports and the user's own password."""
    pages = list(pages_of_managers())[part::PARTS]
    assert errors(visit, pages, browser_of(alice), *WAYS_OF_MANAGERS[part::PARTS]) == {}


def test_everybody_can_use_the_pages_of_superusers(filled, visit, alice, northwind):
    """The pages of repositories, people, grants, keys, failed sign-ins and workers."""
    LoginFailures.objects.create(name="alice", address="192.0.2.1", failures=5, failed_at=timezone.now())
    LoginFailures.objects.create(name="alice", daily_failures=100, failed_at=timezone.now())
    group = Group.objects.create(name="Auditors")
    AccessGrant.objects.create(group=group, repository=northwind, role=Role.READER)
    now = timezone.now()
    Worker.objects.create(name="host:1:abc", beat_at=now)
    Schedule.objects.create(func="bulkops.worker.tasks.clean", schedule_type=Schedule.DAILY)
    result = f"disk full : Traceback (most recent call last): {'long' * 60}"
    Failure.objects.create(id="f" * 32, func="old.name", started=now, stopped=now, success=False, result=result)
    assert errors(visit, pages_of_superusers(), superuser(), new_key, user_with_errors) == {}


def test_everybody_can_use_the_landing_page_and_that_of_the_login(visit, db):
    """Before anybody is known; each both in light and in dark colours."""
    assert errors(visit, [reverse("admin:login"), "/", "/", reverse("admin:login")], None) == {}
