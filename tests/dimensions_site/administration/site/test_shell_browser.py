"""Everything around the pages of the administration works by keyboard alone, on a desktop and on a phone."""

from typing import Any
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_q.models import Failure
from playwright.sync_api import Page, Route, expect

from account.models import Account
from bulkops.models import Plan
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository
from dimensions_site.tokens.models import Application
from tests.browser import WIDTHS, fits, signed_in
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.site.people import page, superuser
from tests.factories import Person, account
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db(transaction=True)

# What has the focus, if a bar lies over it.
COVERED = """() => {
  const focused = document.activeElement;
  const { x, y, width, height } = focused.getBoundingClientRect();
  const above = document.elementFromPoint(x + width / 2, y + height / 2);
  const isSeen = above && (focused.contains(above) || above.contains(focused) || above.closest("label"));
  return isSeen ? "" : focused.outerHTML.slice(0, 200);
}"""

# Alpine shows what opens in a frame, and a busy machine draws one late.
LATE_FRAMES = """() => {
  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (work) => setTimeout(() => frame(work), 200);
}"""
# What opens is shown at once, and the page looks for it later.
LOOK_LATE = """() => {
  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = work => setTimeout(() => frame(work), `${work}`.includes("focusWhenShown") ? 300 : 0);
}"""


@pytest.fixture
def root(northwind: Repository) -> Client:
    store_accounts(northwind, *(account(f"{number:04}") for number in range(60)))
    return superuser()


def seen(visit: Any, browser: Client, path: str, look: Any, width: str = "desk") -> Any:
    options = {"viewport": {"width": WIDTHS[width], "height": 800}, "storage_state": signed_in(browser)}
    return visit(path, look, **options)


def focused(opened: Page) -> str:
    """The visible name of what has the focus."""
    return str(opened.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent.trim()"))


def press_until(opened: Page, name: str, key: str = "Tab", most: int = 60) -> int:
    """Press the key until what has that name is focused; return how often."""
    for presses in range(1, most + 1):
        opened.keyboard.press(key)
        if name in focused(opened):
            return presses
    raise AssertionError(f"{name} was not reached by {most} x {key}")


def test_a_double_click_sends_a_form_once(visit: Any, root: Client, northwind: Repository):
    """The second would be refused, and the page would say that nothing was saved."""
    held: list[Route] = []

    def look(opened: Page) -> None:
        opened.route("**/add/**", lambda route: held.append(route))
        opened.get_by_role("textbox", name="Id required").fill("7000")
        opened.locator("[name='descriptions:0:text']").fill("Cash")
        opened.locator("[name='nature']").select_option("BALANCE_SHEET")
        opened.get_by_role("button", name="Save", exact=True).dblclick(delay=100, no_wait_after=True)
        opened.wait_for_timeout(300)
        for route in held:
            route.continue_()
        expect(opened.get_by_text("was created.")).to_be_visible()

    seen(visit, root, f"{page(Account, 'add')}?repository={northwind.pk}", look)
    assert len(held) == 1


def test_the_longest_id_makes_no_page_wider_than_a_phone(visit: Any, root: Client, northwind: Repository):
    """Its form, its versions and the tree, which names the last of a range."""
    store_accounts(northwind, account("7" + "0" * 126 + "1"), account("7" + "1" * 127))
    pages = [page(Account, name, Account.objects.latest("pk").pk) for name in ("change", "history", "delete")]

    def look(opened: Page) -> list[str]:
        found = []
        for address in (*pages, page(Account, "tree")):
            opened.goto(urljoin(opened.url, address))
            found += [] if fits(opened) else [address]
        return found

    assert seen(visit, root, page(Account), look, "phone") == []


def test_the_menus_of_forms_of_superusers_are_opened_and_closed_by_keyboard(visit: Any, root: Client):
    """Beside the pickers of people and repositories; Escape leads back to them."""
    tried: list[Any] = []

    def look(opened: Page) -> None:
        for add in opened.locator(".add-row a").all():
            add.click()
        for button in opened.locator("[data-opens][aria-controls^='related-']").filter(visible=True).all():
            tried.append(button)
            button.press("Enter")
            expect(opened.locator("nav[id^='related-'] a:focus")).to_have_count(1)
            opened.keyboard.press("Escape")
            expect(button).to_be_focused()
            expect(button).to_have_attribute("aria-expanded", "false")

    for model in (AccessGrant, ApiKey, Application, Repository, User):
        seen(visit, root, page(model, "add"), look)
    assert len(tried) > 5


def test_the_first_stop_skips_the_navigation(visit: Any, root: Client):
    """Two keys lead to the first control of the content."""

    def look(opened: Page) -> str:
        opened.keyboard.press("Tab")
        assert focused(opened) == "Skip to the content"
        expect(opened.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
        opened.keyboard.press("Enter")
        opened.keyboard.press("Tab")
        return str(opened.evaluate("document.activeElement.closest('#content') !== null"))

    assert seen(visit, root, page(Account), look) == "True"


def test_a_repository_that_was_searched_is_chosen_by_keyboard_and_the_page_stays(
    visit: Any, root: Client, contoso: Repository
):
    def look(opened: Page) -> None:
        opened.locator("#switch summary").focus()
        opened.keyboard.press("Enter")
        expect(opened.get_by_role("searchbox", name="Search repositories")).to_be_focused()
        opened.keyboard.type("conto")
        expect(opened.locator("#switch-list li")).to_have_count(1)
        press_until(opened, "Contoso", most=1)
        with opened.expect_navigation(url=f"**{page(Account)}?repository__id__exact={contoso.pk}"):
            opened.keyboard.press("Enter")

    seen(visit, root, page(Account), look)


def test_the_menu_of_the_user_is_opened_by_keyboard_and_changes_the_colours(visit: Any, root: Client):
    """Also where frames come late."""

    def look(opened: Page) -> None:
        opened.evaluate(LATE_FRAMES)
        button = opened.get_by_role("button", name="root")
        button.focus()
        opened.keyboard.press("Enter")
        expect(opened.locator("#user-menu :focus")).to_have_count(1)
        press_until(opened, "Dark", most=4)
        opened.keyboard.press("Space")
        expect(opened.locator("html.dark")).to_have_count(1)
        expect(opened.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
        opened.keyboard.press("Escape")
        expect(opened.get_by_role("button", name="Dark")).to_be_hidden()
        expect(button).to_be_focused()

    seen(visit, root, reverse("admin:index"), look)


def test_a_refused_sign_in_says_why_and_no_more(visit: Any, root: Client):
    """That there is an error below is not said beside it."""

    def look(opened: Page) -> None:
        opened.get_by_label("Username").fill("nobody")
        opened.get_by_label("Password").fill("wrong")
        opened.get_by_role("button", name="Log in").click()
        expect(opened.locator(".errornote:visible")).to_have_count(1)
        expect(opened.locator(".errornote:visible")).to_contain_text("The user name or the password is wrong.")

    visit(reverse("admin:login"), look)


@pytest.mark.parametrize("start", ["#searchbar", "#result_list tbody a", "[aria-keyshortcuts]"])
def test_the_search_opens_from_anywhere_and_leads_back(visit: Any, root: Client, start: str):
    """From a box, from a link, and from its own button; Escape closes it."""

    def look(opened: Page) -> None:
        place = opened.locator(start).first
        place.focus()
        opened.keyboard.press("Enter" if start == "[aria-keyshortcuts]" else "Control+k")
        expect(opened.get_by_role("searchbox", name="Search pages, accounts and currencies")).to_be_focused()
        opened.keyboard.press("Escape")
        expect(place).to_be_focused()

    seen(visit, root, page(Account), look)


def test_the_search_has_the_focus_on_a_busy_machine_too(visit: Any, root: Client):
    """Where what opens is shown late."""

    def look(opened: Page) -> None:
        opened.evaluate(LATE_FRAMES)
        opened.keyboard.press("Control+k")
        expect(opened.get_by_role("searchbox", name="Search pages, accounts and currencies")).to_be_focused()

    seen(visit, root, reverse("admin:index"), look)


def test_the_search_that_was_closed_keeps_no_focus_on_a_busy_machine(visit: Any, root: Client):
    """Where Escape comes before the frame in which the page looks what is shown."""

    def look(opened: Page) -> None:
        place = opened.locator("#result_list tbody a").first
        place.focus()
        opened.evaluate(LOOK_LATE)
        opened.keyboard.press("Control+k")
        expect(opened.get_by_role("searchbox", name="Search pages, accounts and currencies")).to_be_focused()
        opened.keyboard.press("Escape")
        opened.wait_for_timeout(600)
        expect(place).to_be_focused()

    seen(visit, root, page(Account), look)


def test_the_navigation_is_opened_and_closed_by_keyboard_on_a_phone(visit: Any, root: Client):
    def look(opened: Page) -> None:
        button = opened.get_by_role("button", name="Navigation", exact=True)
        button.focus()
        opened.keyboard.press("Enter")
        expect(opened.locator("#nav-sidebar :focus")).to_have_count(1)
        opened.keyboard.press("Escape")
        expect(opened.locator("#nav-sidebar")).to_be_hidden()
        expect(button).to_be_focused()

    seen(visit, root, page(Account), look, "phone")


@pytest.mark.parametrize("model", [Account, ApiKey])
@pytest.mark.parametrize("name", ["add", "changelist"])
def test_no_bar_covers_what_the_keyboard_has_reached(visit: Any, root: Client, model: Any, name: str):
    """Neither the buttons of a form nor the foot of a list, which stay in view."""

    def look(opened: Page) -> None:
        opened.locator("#content").focus()
        for _press in range(80):
            opened.keyboard.press("Tab")
            assert opened.evaluate(COVERED) == ""

    repository = f"?repository={Repository.objects.get().pk}" if (model, name) == (Account, "add") else ""
    seen(visit, root, f"{page(model, name)}{repository}", look)


def test_a_switch_shows_that_it_has_the_focus(visit: Any, root: Client):
    def look(opened: Page) -> None:
        switch = opened.get_by_label("Revoked")
        switch.focus()
        opened.keyboard.press("Shift+Tab")
        opened.keyboard.press("Tab")
        expect(switch).to_be_focused()
        assert switch.evaluate("box => getComputedStyle(box).outlineStyle") == "solid"

    seen(visit, root, page(ApiKey, "add"), look)


def test_the_title_of_a_list_is_whole_on_a_phone_in_every_language(visit: Any, root: Client):
    """Its links are icons there, and keep their names."""

    def look(opened: Page) -> None:
        for code in ("en", "de", "fr", "it", "es"):
            opened.context.add_cookies([{"name": "django_language", "value": code, "url": opened.url}])
            opened.reload()
            title = opened.locator("header h1 a")
            expect(title).to_be_visible()
            assert title.evaluate("title => title.scrollWidth <= title.clientWidth"), code
            expect(opened.locator(".page-actions a:visible")).to_have_count(2)
            for link in opened.locator(".page-actions a:visible").all():
                assert link.evaluate("link => link.computedName"), code

    seen(visit, root, page(Account), look, "phone")


def test_the_menu_shows_the_page_that_is_open(visit: Any, root: Client):
    """Also one of the last, without scrolling."""

    def look(opened: Page) -> None:
        expect(opened.locator("#nav-sidebar [aria-current=page]")).to_be_in_viewport(ratio=1)
        assert opened.evaluate("scrollY") == 0

    seen(visit, root, page(Failure), look)


def test_the_heading_says_by_what_a_list_is_sorted(visit: Any, root: Client):
    def look(opened: Page) -> None:
        expect(opened.locator("th[aria-sort=descending]")).to_have_count(1)

    seen(visit, root, f"{page(Account)}?o=-1", look)
    seen(visit, root, page(Account), lambda opened: expect(opened.get_by_role("table")).to_be_visible())


def test_a_reason_has_room_on_a_phone(visit: Any, root: Client, alice: Person) -> None:
    """Its button stands below it."""
    make(alice, "account", bulk={"post": [account("2")]})

    def look(opened: Page) -> None:
        width = opened.get_by_label("Reason").first.evaluate("box => box.getBoundingClientRect().width")
        assert width > WIDTHS["phone"] / 2

    seen(visit, root, page(Plan, "change", Plan.objects.get().pk), look, "phone")
