"""A superuser gives people and programs access, and nobody sees what is not theirs."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from tests.browser import follow
from tests.stories.pages import clicks, go, log_in, open_account, press, search
from tests.stories.stage import PASSWORD


def choose(page: Page, field: str, text: str, number: int = 0) -> None:
    """Find a row by its name in the picker of a field, of which there may be several, and choose it."""
    page.locator(f".field-{field} .select2-selection").nth(number).click()
    page.get_by_role("searchbox").last.fill(text)
    page.get_by_role("option", name=text).click()


def add_nina(root: Page, *grants: tuple[str, str, str]) -> None:
    """Make a user with grants in one save, from any page: repository, dimension and role of each."""
    go(root, "Users")
    follow(root.locator("a[href='/admin/auth/user/add/']").first)
    root.get_by_label("Username").fill("nina")
    root.get_by_label("Password", exact=True).fill(PASSWORD)
    for number, (repository, dimension, role) in enumerate(grants):
        if number:
            root.get_by_text("Add another Permission").click()
        choose(root, "repository", repository, number)
        root.get_by_label("Kind").nth(number).select_option(label=dimension)
        root.get_by_label("Role").nth(number).select_option(label=role)
    follow(root.get_by_role("button", name="Save", exact=True))
    expect(root.get_by_text("was added successfully")).to_be_visible()


@pytest.fixture
def removed(root: Page) -> Iterator[None]:
    """Remove nina after the story; the stage stays."""
    yield
    go(root, "Users")
    root.get_by_role("checkbox", name="Select nina").check()
    root.get_by_label("Select action to run").select_option("Delete selected users")
    follow(root.get_by_role("button", name="Run", exact=True))
    follow(root.get_by_role("button", name="Yes, I’m sure"))


@pytest.mark.contract("G2")
def test_a_colleague_gets_access_to_two_charts_in_one_save_and_sees_just_them(root, enter, removed):
    """In twelve clicks, where it took 21 on five pages; she signs in with the password that was typed once."""
    add_nina(root, ("northwind", "account", "reader"), ("contoso", "account", "editor"))
    assert clicks(root) == 12
    expect(root.get_by_role("row", name="nina")).to_contain_text("reader of account in northwind")

    nina = enter("nina")
    expect(nina.locator("#repositories strong")).to_have_count(2)
    navigation = nina.get_by_role("navigation")
    expect(navigation.get_by_text("Accounts", exact=True)).to_be_visible()
    for closed in ("Currencies", "Users", "API keys", "Workers"):
        expect(navigation.get_by_text(closed, exact=True)).to_have_count(0)
    go(nina, "Accounts")
    search(nina, "A.24.110")
    expect(nina.get_by_role("row", name="A.24.110").first).to_be_visible()
    nina.goto(f"{nina.url.split('/admin/')[0]}/admin/currency/currency/")
    expect(nina.get_by_role("heading", name="Not permitted")).to_be_visible()


@pytest.mark.contract("G1")
def test_somebody_without_access_to_the_administration_reads_why_they_are_not_signed_in(root, browser, stage, removed):
    """With the right password only."""
    add_nina(root, ("northwind", "account", "reader"))
    follow(root.get_by_role("link", name="nina").last)
    root.get_by_label("May use the administration").uncheck()
    follow(root.get_by_role("button", name="Save", exact=True))
    nina = browser.new_page()
    nina.goto(f"{stage.address}/admin/")
    log_in(nina, "nina")
    expect(nina.get_by_text("You have no access to the administration.")).to_be_visible()
    nina.close()


@pytest.mark.contract("G1", "G2")
def test_a_program_has_access_by_a_key_that_is_shown_once_until_it_is_revoked(root, stage, removed):
    """A user with a grant, and a key; the key permits what the grant says until it is revoked."""
    add_nina(root, ("northwind", "account", "reader"))

    go(root, "API keys")
    follow(root.locator("a[href='/admin/repositories/apikey/add/']").first)
    root.get_by_label("Name").fill("Data warehouse")
    choose(root, "user", "nina")
    follow(root.get_by_role("button", name="Save", exact=True))
    message = root.get_by_text("Copy the new API key now, it is not shown again").inner_text()
    (key,) = re.findall(r"shown again: (\S+)", message)
    expect(root.get_by_role("button", name="Copy the API key")).to_be_visible()

    program = replace(stage.service, key=key)
    assert program.send("GET", "/dimensions/v1/northwind/account/elements/A.24.110").status == 200
    assert program.send("GET", "/dimensions/v1/northwind/currency/elements/EUR").status == 403
    assert program.send("PATCH", "/dimensions/v1/northwind/account/elements/A.24.110", {}).status == 403

    go(root, "API keys")
    expect(root.get_by_text(key)).to_have_count(0)
    row = root.get_by_role("row", name="Data warehouse")
    expect(row).to_contain_text("valid")
    row.get_by_role("checkbox").check()
    root.get_by_label("Select action to run").select_option("Revoke the selected API keys")
    follow(root.get_by_role("button", name="Run", exact=True))
    expect(root.get_by_text("1 API key is revoked")).to_be_visible()
    expect(row).to_contain_text("revoked")
    assert program.send("GET", "/dimensions/v1/northwind/account/elements/A.24.110").status == 401


@pytest.mark.contract("G2")
def test_the_manager_of_another_group_sees_nothing_of_it(alice, bob):
    """Not on the start page, in lists, in an import, nor under the address of an account."""
    open_account(alice, "A.24.110")
    expect(bob.locator("#repositories")).to_contain_text("Contoso holding")
    seen = [bob.locator("body").inner_text()]
    for page in ("Accounts", "Currencies", "Deleted accounts", "Imports", "Deletions"):
        go(bob, page)
        seen.append(bob.locator("body").inner_text())
    go(bob, "Accounts")
    press(bob, "Import")
    expect(bob.get_by_label("Import into").get_by_role("option", name="contoso")).to_have_count(2)
    seen.append(bob.locator("body").inner_text())
    assert len(seen) == 7
    assert not [text for text in seen if "orthwind" in text or "A.24" in text]
    bob.goto(alice.url)
    expect(bob.get_by_role("heading", name="Page not found")).to_be_visible()
