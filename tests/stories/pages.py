"""What everybody does on the pages of the administration, by clicks and typing."""

import re

from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, follow
from tests.stories.stage import PASSWORD

# Counts the presses of the mouse and the choices in lists; texts are typed.
COUNT_CLICKS = """
  sessionStorage.clicks ??= 0;
  document.addEventListener("pointerdown", () => { sessionStorage.clicks++; }, true);
  document.addEventListener("change", ({ target }) => {
    if (target.matches("select:not(.select2-hidden-accessible)")) sessionStorage.clicks++;
  }, true);
"""


def clicks(page: Page) -> int:
    """Return how often the person has clicked since the start page opened, the choices in lists included."""
    return int(page.evaluate("sessionStorage.clicks"))


def log_in(page: Page, name: str) -> None:
    """Fill in the page of the login as that person."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    follow(page.get_by_role("button", name="Log in"))


def go(page: Page, title: str) -> None:
    """Follow the link in the sidebar; what is deleted is found above the list."""
    if title.startswith("Deleted "):
        go(page, title.removeprefix("Deleted ").capitalize())
        more(page, title)
        return
    if _is_phone(page):
        page.get_by_role("button", name="Navigation", exact=True).click()
    follow(page.get_by_role("navigation").get_by_text(title, exact=True))


def press(page: Page, title: str) -> None:
    """Follow the link above the page that looks like a button."""
    follow(page.get_by_role("link", name=title, exact=True))


def more(page: Page, title: str) -> None:
    """Follow the link under “More” above the list of elements."""
    page.get_by_text("More", exact=True).click()
    press(page, title)


def _is_phone(page: Page) -> bool:
    """Whether the page is so narrow that links hide behind buttons."""
    size = page.viewport_size
    return size is not None and size["width"] == WIDTHS["phone"]


def search(page: Page, text: str) -> None:
    """Search in the list that is open."""
    box = page.get_by_role("textbox", name="Search in the id and in all descriptions")
    box.fill(text)
    with page.expect_navigation(url="**q=*"):
        box.press("Enter")


def open_account(page: Page, id: str) -> None:
    """Find the account in the list of accounts and open its form."""
    go(page, "Accounts")
    search(page, id)
    follow(page.get_by_role("link", name=id, exact=True))
    expect(page.get_by_role("heading", name=f"{id} · ")).to_be_visible()


def choose_all_found(page: Page, text: str) -> None:
    """Search in the list of accounts, select all that is found, on all pages of the list, and have it deleted."""
    go(page, "Accounts")
    search(page, text)
    page.get_by_label("Select all objects on this page for an action").check()
    page.get_by_text(re.compile(r"Select all \d+ accounts")).click()
    follow(page.get_by_role("button", name="Delete", exact=True))


def save(page: Page) -> None:
    """Save the form of an element and stay there."""
    follow(page.get_by_role("button", name="Save and continue editing"))
    expect(page.get_by_text("was saved.")).to_be_visible()
